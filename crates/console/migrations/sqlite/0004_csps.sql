-- The CSPs. Their names are the partner ids of the cloud's labels; the cloud itself keeps no list of them.
CREATE TABLE csps (
    -- A UUID.
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at BIGINT NOT NULL
);
