-- Who is told when a device comes or goes. While the connection is lost: lost_at, since when, and due_at, when it has lasted
-- for the threshold (null again once that is told).
create table notification (
    id integer primary key,
    device_id bigint not null references device (id) on delete cascade,
    user_id bigint references users (id) on delete set null,
    notification_type text not null,
    threshold bigint not null,
    message text,
    lost_at bigint,
    due_at bigint,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_notification_device on notification (device_id, id);
create index ix_notification_user on notification (user_id);
create index ix_notification_due on notification (due_at) where notification_type = 'on_connection_lost' and due_at is not null;

create table notification_app (
    id integer primary key,
    notification_id bigint not null references notification (id) on delete cascade,
    app_type text not null,
    nickname text,
    username text,
    email text,
    country_code text,
    phone_number text,
    message text,
    email_subject text,
    email_template_id text,
    created_at bigint not null
);
create index ix_notification_app_notification on notification_app (notification_id, id);

-- Who is told of the values of a property. last_value: a JSON scalar, the value before the next one as far as that matters.
create table property_trigger (
    id integer primary key,
    property_id bigint not null references property (id) on delete cascade,
    user_id bigint references users (id) on delete set null,
    trigger_type text not null,
    compare_type text,
    value text,
    active boolean not null,
    last_value text,
    triggered_at bigint,
    created_at bigint not null
);
create index ix_property_trigger_property on property_trigger (property_id, id);
create index ix_property_trigger_user on property_trigger (user_id);

-- param1 and so on: of an e-mail address, subject and text; of a text message country code, number and text.
create table trigger_app (
    id integer primary key,
    trigger_id bigint not null references property_trigger (id) on delete cascade,
    name text not null,
    nickname text,
    username text,
    repeat_freq bigint not null,
    param1 text,
    param2 text,
    param3 text,
    param4 text,
    param5 text,
    email_template_id text,
    told_at bigint,
    created_at bigint not null
);
create index ix_trigger_app_trigger on trigger_app (trigger_id, id);
