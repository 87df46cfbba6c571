-- The second factor of people who have set one up, and the checks of their codes.
CREATE TABLE second_factors (
    user_id TEXT NOT NULL PRIMARY KEY,
    -- The encrypted secret of the authenticator app. NULL without an app.
    totp_secret BYTEA,
    -- When the app was added. NULL: it is being set up, and its codes are not asked for.
    totp_added_at BIGINT,
    -- The time step of the last accepted code: a code is accepted once.
    totp_last_step BIGINT NOT NULL DEFAULT 0,
    -- How many codes were checked since attempts_since, without those before the last right one.
    attempts BIGINT NOT NULL DEFAULT 0,
    attempts_since BIGINT NOT NULL DEFAULT 0
);
-- The hashes of the recovery codes that are not used yet.
CREATE TABLE recovery_codes (
    user_id TEXT NOT NULL,
    code_hash TEXT NOT NULL,
    PRIMARY KEY (user_id, code_hash)
);
-- Sign-ins whose password was right and whose second factor is not checked yet. They grant no access.
CREATE TABLE pending_sign_ins (
    id_hash TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    -- The encrypted tokens of the cloud.
    tokens BYTEA NOT NULL,
    -- How many codes were checked.
    attempts BIGINT NOT NULL DEFAULT 0,
    expires_at BIGINT NOT NULL
);
CREATE INDEX pending_sign_ins_expires ON pending_sign_ins (expires_at);
