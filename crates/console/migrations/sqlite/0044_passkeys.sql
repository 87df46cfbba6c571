-- The passkeys of people, as a second factor.
CREATE TABLE passkeys (
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    name TEXT NOT NULL,
    credential_id BLOB NOT NULL,
    -- How the authenticator can be reached, as a bit set.
    transports BIGINT NOT NULL,
    -- The public key.
    static_state BLOB NOT NULL,
    -- Changes with each use: the counter, and whether the passkey is backed up.
    dynamic_state BLOB NOT NULL,
    added_at BIGINT NOT NULL,
    -- NULL: never used.
    last_used_at BIGINT
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential_id);
CREATE INDEX passkeys_user ON passkeys (user_id, added_at);
-- Challenges that await the answer of a browser. Each is used once.
CREATE TABLE passkey_ceremonies (
    -- What it is for: the registration of a user, or a sign-in that awaits its second factor.
    id TEXT NOT NULL PRIMARY KEY,
    user_id TEXT NOT NULL,
    state BLOB NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX passkey_ceremonies_user ON passkey_ceremonies (user_id, expires_at);
CREATE INDEX passkey_ceremonies_expires ON passkey_ceremonies (expires_at);
