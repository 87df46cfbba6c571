-- The job that a change belongs to. NULL: none.
ALTER TABLE audit ADD COLUMN job_id TEXT;
CREATE INDEX audit_job ON audit (job_id, id) WHERE job_id IS NOT NULL;
