-- People look at their own sessions.
CREATE INDEX sessions_user ON sessions (user_id);
-- How people want to see things. Without a row: as everybody does at first.
CREATE TABLE user_preferences (
    user_id TEXT PRIMARY KEY,
    -- 12hour or 24hour (A-17).
    time_format TEXT NOT NULL
);
