-- Unused sessions are deleted by the time at which their access tokens expired.
create index ix_session_expiry on session (access_expires_at);
