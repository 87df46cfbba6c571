-- What a device is to do at some times, and what its template gives it when it is registered.
-- plan: when, as JSON (domain::schedule::Plan).
-- due_at: when to look next; null = never. It is reckoned anew whenever the plan, the device's zone or active changes.
create table schedule (
    id integer primary key,
    device_id bigint not null references device (id) on delete cascade,
    name text not null,
    display_name text not null,
    direction text not null,
    active boolean not null,
    fixed_actions boolean not null,
    plan text not null,
    due_at bigint,
    unique (device_id, name)
);
create index ix_schedule_due on schedule (due_at) where due_at is not null;

-- fire_point: at_start, at_end or in_range; null = it is not done. value: a JSON scalar.
create table schedule_action (
    id integer primary key,
    schedule_id bigint not null references schedule (id) on delete cascade,
    name text not null,
    base_type text not null,
    value text not null,
    active boolean not null,
    fire_point text
);
create index ix_schedule_action_schedule on schedule_action (schedule_id, id);

create table template_schedule (
    id integer primary key,
    template_id bigint not null references template (id) on delete cascade,
    name text not null,
    display_name text not null,
    active boolean not null,
    plan text not null,
    unique (template_id, name)
);

create table template_schedule_action (
    id integer primary key,
    template_schedule_id bigint not null references template_schedule (id) on delete cascade,
    name text not null,
    base_type text not null,
    value text not null,
    fire_point text not null
);
create index ix_template_schedule_action on template_schedule_action (template_schedule_id, id);
