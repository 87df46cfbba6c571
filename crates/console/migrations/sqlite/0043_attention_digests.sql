-- The people who want a daily digest of what needs attention.
CREATE TABLE attention_digests (
    -- UUID.
    user_id TEXT PRIMARY KEY,
    -- The hour of the day in the time zone.
    hour BIGINT NOT NULL,
    time_zone TEXT NOT NULL,
    next_at BIGINT NOT NULL
);
CREATE INDEX attention_digests_next ON attention_digests (next_at);
