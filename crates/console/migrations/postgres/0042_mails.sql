-- Mails to users that the mail server has not accepted yet.
CREATE TABLE mails (
    id TEXT NOT NULL PRIMARY KEY,
    recipient TEXT NOT NULL,
    subject TEXT NOT NULL,
    body TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    -- When the next attempt is due.
    due_at BIGINT NOT NULL
);
CREATE INDEX mails_due ON mails (due_at);
