-- An access token of a program is a session that names itself: name, rights as a JSON list, and end. NULL for browsers.
ALTER TABLE sessions ADD COLUMN token_name TEXT;
ALTER TABLE sessions ADD COLUMN token_rights TEXT;
ALTER TABLE sessions ADD COLUMN token_expires_at BIGINT;
