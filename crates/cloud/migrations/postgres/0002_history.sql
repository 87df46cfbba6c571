-- A datapoint's id is a UUID of version 7, ordered by time, and the key of its row, so rows are appended. The history of a
-- property is a chain: its newest datapoint, and from each the one before (docs/adr/0005). Ids that were random are
-- given anew.
alter table property add column last_datapoint text collate "C";
alter table property alter column command_id type text collate "C";
alter table command alter column id type text collate "C";

alter table datapoint add column new_id text collate "C";
update datapoint set new_id =
    substr(lpad(to_hex(created_at / 1000), 12, '0'), 1, 8) || '-' ||
    substr(lpad(to_hex(created_at / 1000), 12, '0'), 9, 4) || '-7' ||
    lpad(to_hex(created_at % 1000), 3, '0') || '-8' ||
    substr(lpad(to_hex(id), 15, '0'), 1, 3) || '-' ||
    substr(lpad(to_hex(id), 15, '0'), 4, 12);
update command set id = (select d.new_id from datapoint d where d.uuid = command.id)
where exists (select 1 from datapoint d where d.uuid = command.id);
update property set command_id = (select d.new_id from datapoint d where d.uuid = property.command_id)
where exists (select 1 from datapoint d where d.uuid = property.command_id);
update property set last_datapoint =
    (select d.new_id from datapoint d where d.property_id = property.id order by d.created_at desc, d.id desc limit 1);

alter table datapoint rename to datapoint_before;
-- Append-only. property_id names a property without a foreign key: it would be looked up for every row.
create table datapoint (
    id text collate "C" primary key,
    property_id bigint not null,
    previous text collate "C",
    value text not null,
    echo boolean not null,
    user_uuid text,
    metadata text,
    created_at bigint not null,
    created_at_from_device bigint
);
insert into datapoint
select new_id, property_id, lag(new_id) over (partition by property_id order by created_at, id), value, echo, user_uuid,
       metadata, created_at, created_at_from_device
from datapoint_before
order by new_id;
drop table datapoint_before;

-- How far datapoints of so many days of retention have been cleared away: up to this id.
create table retention (
    days bigint primary key,
    cleared_to text collate "C" not null
);

-- Every report changes these rows; with room in the page no index changes with them.
alter table property set (fillfactor = 50);
alter table device_state set (fillfactor = 50);
