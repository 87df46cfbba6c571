-- One row for each signed-in browser (A-84).
CREATE TABLE sessions (
    -- SHA-256 of the cookie's value, in hex: who reads this table cannot sign in with it.
    id_hash TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    email TEXT NOT NULL,
    firstname TEXT NOT NULL,
    lastname TEXT NOT NULL,
    role TEXT,
    csp TEXT,
    -- When the cloud was asked for role and CSP.
    access_read_at BIGINT NOT NULL,
    -- The cloud's tokens: key id, nonce, cipher text. NULL once the cloud has ended them.
    tokens BYTEA,
    created_at BIGINT NOT NULL,
    seen_at BIGINT NOT NULL
);
CREATE INDEX sessions_seen_at ON sessions (seen_at);
