-- Registrations of devices, and tries of devices that were not free, which have no device_id. Deleting a device must not turn
-- its registrations into such tries.
create table claim (
    id integer primary key,
    user_id bigint references users (id) on delete set null,
    device_id bigint references device (id) on delete cascade,
    claimed_at bigint not null
);
create index ix_claim_user on claim (user_id, claimed_at);
create index ix_claim_device on claim (device_id);
