-- What the list of jobs shows, and jobs that wait for the device cloud.
-- The audited operation that started the job, and the e-mail address of who did.
ALTER TABLE jobs ADD COLUMN operation TEXT NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN email TEXT NOT NULL DEFAULT '';
-- When a paused job continues. NULL: it is not paused.
ALTER TABLE jobs ADD COLUMN resumes_at BIGINT;
-- How often it was paused since its last progress.
ALTER TABLE jobs ADD COLUMN pauses BIGINT NOT NULL DEFAULT 0;
-- How often the device cloud failed at this target.
ALTER TABLE job_targets ADD COLUMN attempts BIGINT NOT NULL DEFAULT 0;
CREATE INDEX jobs_user ON jobs (user_id, id);

UPDATE jobs SET
    operation = COALESCE((SELECT operation FROM audit WHERE target_id = jobs.id ORDER BY id LIMIT 1), ''),
    email = COALESCE((SELECT email FROM audit WHERE target_id = jobs.id ORDER BY id LIMIT 1), '');
