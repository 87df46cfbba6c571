-- Long work over many devices (A-82): one row for each job, one for each of its targets.
CREATE TABLE jobs (
    -- A UUID (version 7) of the instant at which the job was started: the order of the keys is that of the jobs.
    id TEXT PRIMARY KEY,
    -- JSON: what is done to each target. It may name people; empty once all targets are done.
    work TEXT NOT NULL,
    -- The UUID of who started it, and the hash of the session whose tokens it speaks with.
    user_id TEXT NOT NULL,
    session TEXT NOT NULL,
    -- running, done, cancelled, interrupted.
    state TEXT NOT NULL,
    -- The run that works on it at the moment, and until when no other may.
    claimed_by TEXT,
    claimed_until BIGINT,
    created_at BIGINT NOT NULL,
    ended_at BIGINT
);
CREATE INDEX jobs_running ON jobs (id) WHERE state = 'running';

CREATE TABLE job_targets (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    -- From 0, in the order in which they are worked on.
    position BIGINT NOT NULL,
    dsn TEXT NOT NULL,
    -- waiting, done, failed, cancelled.
    state TEXT NOT NULL,
    -- Of a failure, for people.
    reason TEXT,
    PRIMARY KEY (job_id, position)
);
