-- Messages of a source (a trigger, a notification or an action of a rule) to a recipient. held_back: how many events happened
-- since sent_at without a message. Without foreign keys: rows of deleted sources are deleted after their retention.
create table message_gap (
    source text not null,
    source_id bigint not null,
    channel text not null,
    recipient text not null,
    sent_at bigint,
    held_back bigint not null,
    updated_at bigint not null,
    primary key (source, source_id, channel, recipient)
);
create index ix_message_gap_updated on message_gap (updated_at);

-- Messages that were charged to a daily budget, and messages that it held back. day: in UTC, such as 2026-11-20.
-- scope: manufacturer, author or device; scope_id: the id of that row.
create table message_count (
    day text not null,
    scope text not null,
    scope_id bigint not null,
    channel text not null,
    oem_id bigint not null,
    sent bigint not null default 0,
    held_back bigint not null default 0,
    primary key (day, oem_id, scope, scope_id, channel)
);

-- Limits of a manufacturer that differ from the options of the cloud.
create table message_limits (
    oem_id bigint primary key not null references oem (id) on delete cascade,
    gap_seconds bigint,
    per_device bigint,
    per_author bigint,
    per_manufacturer bigint
);
