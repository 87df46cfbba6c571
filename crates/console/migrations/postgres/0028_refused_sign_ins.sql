-- Refused sign-ins of one hour, account and network share a row.
-- What they have in common, beginning with the hour. NULL: the row is one change.
ALTER TABLE audit ADD COLUMN merge_key TEXT COLLATE "C";
-- How many there were.
ALTER TABLE audit ADD COLUMN occurrences BIGINT NOT NULL DEFAULT 1;
CREATE UNIQUE INDEX audit_merge_key ON audit (merge_key);
