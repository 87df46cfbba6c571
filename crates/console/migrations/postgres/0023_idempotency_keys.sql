-- Writes of users with an Idempotency-Key, and their responses for repetitions.
CREATE TABLE idempotency_keys (
    user_id TEXT NOT NULL,
    key TEXT NOT NULL,
    -- The encrypted digest of the request: its body may hold a password.
    request BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    -- The random name of the handling of the request, and until when its node is considered alive; 0 once it has ended.
    claimed_by TEXT NOT NULL,
    claimed_until BIGINT NOT NULL,
    -- The encrypted response. NULL while the request is handled.
    response BYTEA,
    PRIMARY KEY (user_id, key)
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);
