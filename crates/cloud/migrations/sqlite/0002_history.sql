-- A datapoint's id is a UUID of version 7, ordered by time, and the key of its row, so rows are appended. The history of a
-- property is a chain: its newest datapoint, and from each the one before (docs/adr/0005). Ids that were random are
-- given anew.
alter table property add column last_datapoint text;

alter table datapoint add column new_id text;
update datapoint set new_id = printf('%08x-%04x-7%03x-8%03x-%012x',
    (created_at / 1000) >> 16, (created_at / 1000) & 65535, created_at % 1000,
    (id >> 48) & 4095, id & 281474976710655);
update command set id = (select d.new_id from datapoint d where d.uuid = command.id)
where exists (select 1 from datapoint d where d.uuid = command.id);
update property set command_id = (select d.new_id from datapoint d where d.uuid = property.command_id)
where exists (select 1 from datapoint d where d.uuid = property.command_id);
update property set last_datapoint =
    (select d.new_id from datapoint d where d.property_id = property.id order by d.created_at desc, d.id desc limit 1);

alter table datapoint rename to datapoint_before;
-- Append-only. property_id names a property without a foreign key: it would be looked up for every row.
create table datapoint (
    id text primary key not null,
    property_id bigint not null,
    previous text,
    value text not null,
    echo boolean not null,
    user_uuid text,
    metadata text,
    created_at bigint not null,
    created_at_from_device bigint
) without rowid;
insert into datapoint
select new_id, property_id, lag(new_id) over (partition by property_id order by created_at, id), value, echo, user_uuid,
       metadata, created_at, created_at_from_device
from datapoint_before
order by new_id;
drop table datapoint_before;

-- How far datapoints of so many days of retention have been cleared away: up to this id.
create table retention (
    days bigint primary key not null,
    cleared_to text not null
);

