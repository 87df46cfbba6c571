-- From where a session was last used: the client's address, and the browser in a few words.
ALTER TABLE sessions ADD COLUMN address TEXT;
ALTER TABLE sessions ADD COLUMN browser TEXT;
-- One row for each change that somebody made through the console. Only its end is ever written to it.
CREATE TABLE audit (
    -- A UUID (version 7) of the instant at which the change began: the order of the keys is that of the changes.
    id TEXT PRIMARY KEY,
    -- Who, with the role and the CSP of that moment; nothing of it follows later changes of the user.
    user_id TEXT NOT NULL,
    -- In lower case.
    email TEXT NOT NULL,
    role TEXT,
    actor_csp TEXT,
    address TEXT,
    browser TEXT,
    -- The id of the operation in api/openapi.json.
    operation TEXT NOT NULL,
    target_kind TEXT NOT NULL,
    target_id TEXT NOT NULL,
    -- The CSP whose administrators may read this. NULL: nobody of a CSP.
    target_csp TEXT,
    -- JSON: [{"field", "before", "after"}] of what was to change.
    changes TEXT NOT NULL,
    -- started, done, failed.
    result TEXT NOT NULL,
    -- Of a failure: the code of the problem, and the first field that was not saved.
    code TEXT,
    failed_field TEXT,
    ended_at BIGINT
);
CREATE INDEX audit_target ON audit (target_id, id);
CREATE INDEX audit_email ON audit (email, id);
CREATE INDEX audit_operation ON audit (operation, id);
CREATE INDEX audit_csp ON audit (target_csp, id);
CREATE INDEX audit_csp_operation ON audit (target_csp, operation, id);
