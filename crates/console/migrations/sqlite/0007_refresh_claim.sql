-- Which node is renewing the tokens, and until when that counts: a node that died does not block the session (ADR 8).
ALTER TABLE sessions ADD COLUMN claimed_by TEXT;
ALTER TABLE sessions ADD COLUMN claimed_until BIGINT;
