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

-- The metadata of a property's value came with its datapoint. What devices report has none.
alter table property add column metadata text;
alter table property add column reported_metadata text;
update property set metadata = (select d.metadata from datapoint d where d.id = property.last_datapoint)
where not exists (
    select 1 from command c where c.id = property.last_datapoint and c.state in ('failed', 'expired')
);
update property set reported_metadata = metadata
where exists (select 1 from command c where c.id = property.last_datapoint and c.state = 'acknowledged');
