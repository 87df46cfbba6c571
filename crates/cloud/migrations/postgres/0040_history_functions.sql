-- The changes of partitions, as functions with the rights of their owner, the role that migrates. A node can then run with a role that
-- cannot change the schema (docs/how-to/postgresql-roles.md). Each takes a day of a month instead of names and ranges, so that its
-- caller can change no other table. The caller holds the advisory lock of partitions.

-- The first id of a month of UTC: a UUID of version 7, as `platform::random::first_uuid_at` returns it.
create function first_id_of_month(day date) returns text language sql immutable as $function$
    select substr(hex, 1, 8) || '-' || substr(hex, 9) || '-7000-8000-000000000000'
    from lpad(to_hex((extract(epoch from date_trunc('month', day::timestamp)) * 1000)::bigint), 12, '0') as hex
$function$;

-- Creates the partition of a month that has none, and moves its rows out of the default partition. The lock on the whole table is held
-- for the time of that: a writer that had chosen the default partition already would fail.
create function create_history_month(day date) returns void language plpgsql security definer as $function$
declare
    -- datapoint, or datapoint_next during the move of a plain table.
    history regclass := (
        select oid from pg_class
        where oid in (to_regclass('datapoint'), to_regclass('datapoint_next')) and relkind = 'p'
    );
    since text := first_id_of_month(day);
    until text := first_id_of_month((day + interval '1 month')::date);
    partition_name text := 'datapoint_' || to_char(day, 'YYYY_MM');
begin
    if history is null or exists (
        select from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        cross join pg_get_expr(c.relpartbound, c.oid) as bounds
        where i.inhparent = history
          and coalesce(substring(bounds from 'FROM \(''([^'']+)'''), '') <= since collate "C"
          and since < substring(bounds from 'TO \(''([^'']+)''') collate "C"
    ) then
        return;
    end if;
    execute format('lock table %s in access exclusive mode', history);
    execute format('create table %I (like %s including all)', partition_name, history);
    execute format(
        'with moved as (delete from datapoint_default where id >= %L and id < %L returning *)
         insert into %I select * from moved',
        since, until, partition_name
    );
    execute format('alter table %s attach partition %I for values from (%L) to (%L)', history, partition_name, since, until);
end $function$;

-- Drops the months before that of `day`, with their settled commands and files. The newest datapoint of each property and those with a
-- pending command stay, in the partition datapoint_kept. Returns the number of months.
create function drop_history_months(day date) returns bigint language plpgsql security definer as $function$
declare
    until text := first_id_of_month(day);
    expired text;
    months bigint;
begin
    select string_agg(c.oid::regclass::text, ', '), count(*) filter (where c.relname <> 'datapoint_kept')
    into expired, months
    from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = to_regclass('datapoint')
      and substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \(''([^'']+)''') <= until collate "C";
    if months = 0 then
        return 0;
    end if;
    -- Other nodes that delete datapoints wait here, then continue after these months.
    insert into retention (days, cleared_to) select distinct retention_days, until from template_property
    on conflict (days) do update set cleared_to = greatest(retention.cleared_to, excluded.cleared_to);
    execute format('lock table %s in share row exclusive mode', expired);
    delete from command c where c.id < until and c.state <> 'pending'
        and not exists (select from property p where p.id = c.property_id and p.last_datapoint = c.id);
    delete from file f where f.id < until
        and not exists (select from property p where p.id = f.property_id and p.last_datapoint = f.id);
    execute format('create table kept_next (like datapoint including all, constraint kept_range check (id < %L))', until);
    insert into kept_next select * from datapoint where id < until and id in (
        select last_datapoint from property where last_datapoint < until
        union select id from command where state = 'pending' and id < until
    );
    lock table datapoint in access exclusive mode;
    execute format('drop table %s', expired);
    delete from datapoint_default where id < until;
    execute format('alter table datapoint attach partition kept_next for values from (minvalue) to (%L)', until);
    alter table kept_next drop constraint kept_range;
    alter table kept_next rename to datapoint_kept;
    return months;
end $function$;

-- Replaces the plain table of an earlier version by the partitioned one, once all its rows are copied.
create function replace_plain_history() returns void language plpgsql security definer as $function$
begin
    -- In the order in which writers lock them.
    lock table datapoint in access exclusive mode;
    lock table datapoint_next in access exclusive mode;
    if exists (select from datapoint, datapoint_move where id > copied_to and id <= copy_until) then
        raise exception 'the history has not been copied yet';
    end if;
    drop table datapoint;
    drop table datapoint_move;
    drop function copy_new_datapoints();
    drop function delete_copied_datapoints();
    alter table datapoint_next rename to datapoint;
    alter index datapoint_next_pkey rename to datapoint_pkey;
    alter index ix_datapoint_next_sparse rename to ix_datapoint_sparse;
end $function$;

-- New tables have no statistics for the planner.
create function analyze_history() returns void language plpgsql security definer as $function$
begin
    analyze datapoint;
end $function$;

do $do$
declare
    name text;
begin
    foreach name in array array[
        'create_history_month(date)', 'drop_history_months(date)', 'replace_plain_history()', 'analyze_history()'
    ] loop
        -- Objects of the caller, in its own schema or a temporary one, cannot take the place of ours.
        execute format('alter function %s set search_path = %I, pg_temp', name, current_schema());
        execute format('revoke execute on function %s from public', name);
    end loop;
end $do$;
