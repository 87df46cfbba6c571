-- Since when an operator refuses the device; null = it may connect.
alter table device add column blocked_at bigint;

-- revocation: how often an operator revoked the device's connections, revoked_at: when last. A connection that signed in under
-- a lower count ends.
alter table device_state add column revocation bigint not null default 0;
alter table device_state add column revoked_at bigint;
create index ix_device_state_revoked on device_state (revoked_at) where revoked_at is not null;
