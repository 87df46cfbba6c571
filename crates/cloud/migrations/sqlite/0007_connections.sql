-- When devices came and went: a row for each change of a connection. Append-only; the rows of a device never run back in
-- time.
create table connection_change (
    id integer primary key,
    device_id bigint not null references device (id) on delete cascade,
    status text not null,
    at bigint not null
);
create index ix_connection_change_device on connection_change (device_id, id);
create index ix_connection_change_at on connection_change (at);
insert into connection_change (device_id, status, at)
select device_id, status, connected_at from device_state where status = 'Online' and connected_at is not null;
