-- What users want done when something happens to devices: rules, what they do, and what they still have to look at. All of it
-- goes with the account.
-- parameters: a JSON object.
create table rule_action (
    id integer primary key,
    uuid text not null unique,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    type text not null,
    parameters text not null,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_rule_action_user on rule_action (user_id, id);

-- fired: how often within the hour that began at fired_since.
create table rule (
    id integer primary key,
    uuid text not null unique,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    description text,
    expression text not null,
    is_enabled boolean not null,
    fired_since bigint,
    fired bigint not null default 0,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_rule_user on rule (user_id, id);

-- The actions of a rule, in their order.
create table rule_step (
    rule_id bigint not null references rule (id) on delete cascade,
    position bigint not null,
    action_id bigint not null references rule_action (id) on delete cascade,
    primary key (rule_id, position)
);
create index ix_rule_step_action on rule_step (action_id);

-- What a rule is about, as its expression says: a device, or all devices of a user.
create table rule_subject (
    rule_id bigint not null references rule (id) on delete cascade,
    kind text not null,
    device_id bigint references device (id) on delete cascade,
    user_id bigint references users (id) on delete cascade,
    property text
);
create index ix_rule_subject_rule on rule_subject (rule_id);
create index ix_rule_subject_device on rule_subject (device_id) where device_id is not null;
create index ix_rule_subject_user on rule_subject (user_id) where user_id is not null;

-- What happened, once for each rule that has to look at it; written in the transaction of what happened, and gone when the
-- rule has looked. Without foreign keys: whoever reports must not wait for whoever deletes a rule.
-- value: JSON; the datapoint's value, whether Online or registered, or the degrees. depth: how many rules led to it.
-- due_at: when to look. While a node does, it is when others may take over from it; claim names that look.
create table rule_event (
    id text primary key not null,
    rule_id bigint not null,
    device_id bigint not null,
    kind text not null,
    property text,
    datapoint_id text,
    value text not null,
    depth bigint not null,
    created_at bigint not null,
    due_at bigint not null,
    claim text
);
create index ix_rule_event_due on rule_event (due_at, id);
