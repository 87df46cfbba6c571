-- Undo of jobs (A-82).
-- The job that this one undoes, and the one that undoes this one.
ALTER TABLE jobs ADD COLUMN undoes TEXT;
ALTER TABLE jobs ADD COLUMN undone_by TEXT;

-- What a job wrote to its targets, for a week after its end or until it has been undone.
CREATE TABLE job_writes (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    dsn TEXT NOT NULL,
    -- JSON: each value before and after. Recipients of notifications are opaque ids.
    written TEXT NOT NULL,
    PRIMARY KEY (job_id, dsn)
);
