-- The history is partitioned by month (docs/adr/0014): the ids of datapoints are ordered by time. The cloud creates the partitions;
-- a datapoint of a month without a partition is stored in datapoint_default.
create table datapoint_next (
    id text collate "C" primary key,
    property_id bigint not null,
    previous text collate "C",
    value text not null,
    echo boolean not null,
    user_uuid text,
    metadata text,
    created_at bigint not null,
    created_at_from_device bigint
) partition by range (id);
create table datapoint_default partition of datapoint_next default;
create index ix_datapoint_next_sparse on datapoint_next (property_id, id) where substr(id, 35) in ('00', '40', '80', 'c0');

-- The progress of the move of an existing history, which the cloud does while it runs: datapoints up to copied_to are copied, and
-- those up to copy_until have to be. Triggers apply all later changes to both tables.
create table datapoint_move (
    copied_to text collate "C" not null default '',
    copy_until text collate "C" not null,
    copied bigint not null default 0
);

create function copy_new_datapoints() returns trigger language plpgsql as $function$
begin
    insert into datapoint_next select * from added;
    return null;
end $function$;

-- Waits for a batch that is being copied: it may contain datapoints that this statement has deleted.
create function delete_copied_datapoints() returns trigger language plpgsql as $function$
begin
    perform 1 from datapoint_move for share;
    delete from datapoint_next where id in (select id from removed);
    return null;
end $function$;

-- Waits for running writers; others wait until the triggers exist.
lock table datapoint in share row exclusive mode;
insert into datapoint_move (copy_until) select max(id) from datapoint having max(id) is not null;

do $do$
begin
    if exists (select from datapoint_move) then
        create trigger copy_new_datapoints after insert on datapoint
            referencing new table as added for each statement execute function copy_new_datapoints();
        create trigger delete_copied_datapoints after delete on datapoint
            referencing old table as removed for each statement execute function delete_copied_datapoints();
    else
        drop table datapoint;
        drop table datapoint_move;
        drop function copy_new_datapoints();
        drop function delete_copied_datapoints();
        alter table datapoint_next rename to datapoint;
        alter index datapoint_next_pkey rename to datapoint_pkey;
        alter index ix_datapoint_next_sparse rename to ix_datapoint_sparse;
    end if;
end $do$;
