-- The schema of the device cloud. CONTRIBUTING.md, "How we change the schema", explains the placeholders and the sections for one
-- database.
-- Times are microseconds since 1970 and end in _at, values of properties are JSON scalars, and hashes are SHA-256 in hex. Secrets and
-- tokens are stored as hashes only, unless a comment says otherwise.

-- # Manufacturers, applications and people

create table oem (
    id {id},
    code text not null unique,
    name text not null unique,
    created_at bigint not null
);

-- A program that signs users in.
create table application (
    id {id},
    oem_id bigint not null references oem (id) on delete cascade,
    app_id text not null unique,
    name text not null,
    secret_hash text not null,
    -- The secret before the last rotation, and the time until which it is valid as well; null: it ended with the rotation.
    earlier_secret_hash text,
    earlier_secret_until bigint,
    created_at bigint not null
);

create table role (
    id {id},
    oem_id bigint not null references oem (id) on delete cascade,
    name {text} not null,
    kind text not null,
    -- The label whose value limits the devices of a user with this role; null: the role has no such limit.
    label_key text,
    unique (oem_id, name)
);

create table users (
    id {new_id},
    uuid text not null unique,
    oem_id bigint not null references oem (id) on delete cascade,
    -- The application of a machine account, which signs in through no other (A-84). Null: a person's account.
    application_id bigint references application (id),
    email text not null,
    password_hash text not null,
    firstname text,
    lastname text,
    company text,
    street text,
    city text,
    state text,
    zip text,
    country text,
    phone_country_code text,
    phone text,
    -- The number of the development kit, which a profile has (specification 001 section 3).
    ayla_dev_kit_num text,
    -- Null: the address is not confirmed.
    confirmed_at bigint,
    -- Wrong passwords in a row, and the time of the last one; they count for a day.
    failed_sign_ins bigint not null default 0,
    failed_sign_in_at bigint,
    locked_until bigint,
    -- The end of the lock that the user was last mailed about.
    lock_told_until bigint,
    created_at bigint not null,
    updated_at bigint not null,
    unique (oem_id, email)
);
-- Locks that have not ended.
create index ix_users_locked on users (locked_until) where locked_until is not null;
-- A page of a large list of people, and their number, in each order of the lists. No list contains machine accounts (A-84).
create index ix_users_id on users (oem_id, id) where application_id is null;
create index ix_users_email on users (oem_id, email, id) where application_id is null;
create index ix_users_firstname on users (oem_id, firstname, id) where application_id is null;
create index ix_users_lastname on users (oem_id, lastname, id) where application_id is null;
create index ix_users_company on users (oem_id, company, id) where application_id is null;
create index ix_users_phone on users (oem_id, phone, id) where application_id is null;
create index ix_users_city on users (oem_id, city, id) where application_id is null;
create index ix_users_country on users (oem_id, country, id) where application_id is null;
create index ix_users_confirmed on users (oem_id, confirmed_at, id) where application_id is null;
create index ix_users_created on users (oem_id, created_at, id) where application_id is null;
create index ix_users_updated on users (oem_id, updated_at, id) where application_id is null;

create table user_role (
    user_id bigint not null references users (id) on delete cascade,
    role_id bigint not null references role (id) on delete cascade,
    label_value text,
    primary key (user_id, role_id)
);
create index ix_user_role_label on user_role (role_id, label_value, user_id);

-- The customers of the people who have this role and label, such as those of a dealer (A-129).
create table association (
    user_id bigint not null references users (id) on delete cascade,
    role_id bigint not null references role (id) on delete cascade,
    label_value text not null,
    primary key (user_id, role_id, label_value)
);
create index ix_association_role on association (role_id, label_value, user_id);

-- The label of the partner whose administrator removed the last role of a user. The row exists until the user has a role again.
create table custody (
    user_id bigint primary key references users (id) on delete cascade,
    label_key text not null,
    label_value text not null
);
create index ix_custody_label on custody (label_key, label_value, user_id);

create table user_datum (
    user_id bigint not null references users (id) on delete cascade,
    key {text} not null,
    value text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (user_id, key)
);

create table contact (
    id {id},
    user_id bigint not null references users (id) on delete cascade,
    display_name text,
    firstname text,
    lastname text,
    email text,
    phone_country_code text,
    phone_number text,
    street_address text,
    zip_code text,
    country text,
    notes text,
    -- Any JSON.
    metadata text,
    -- Separated by commas.
    oem_models text,
    email_notification boolean not null,
    sms_notification boolean not null,
    push_notification boolean not null,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_contact_user on contact (user_id, id);

-- # Sign-ins

create table session (
    id {id},
    user_id bigint not null references users (id) on delete cascade,
    access_hash text not null unique,
    access_expires_at bigint not null,
    created_at bigint not null
);
create index ix_session_user on session (user_id);
-- Unused sessions are deleted by the time at which their access tokens expired.
create index ix_session_expiry on session (access_expires_at);

create table refresh_token (
    hash text primary key,
    session_id bigint not null references session (id) on delete cascade,
    -- Null: the current token of the session. Otherwise a newer one has replaced it, and it is valid until then.
    honoured_until bigint
);
create index ix_refresh_token_session on refresh_token (session_id);

-- The token of a link in a mail. A user has at most one for each purpose.
create table user_token (
    user_id bigint not null references users (id) on delete cascade,
    purpose text not null,
    hash text not null unique,
    expires_at bigint not null,
    -- When it confirmed an account. Its link says so when it is opened again, so the row stays with the user.
    redeemed_at bigint,
    primary key (user_id, purpose)
);

-- Changes of a user's address. A row exists until the link that cancels the change expires.
create table email_change (
    id {id},
    user_id bigint not null references users (id) on delete cascade,
    old_email text not null,
    new_email text not null,
    -- Null once the change is confirmed or replaced by a newer one.
    confirmation_hash text unique,
    cancellation_hash text not null unique,
    expires_at bigint not null
);
create index email_change_user on email_change (user_id, id);
create index email_change_expires_at on email_change (expires_at);

-- Wrong passwords for addresses that no user has, which get the same responses as those of users. Rows are deleted after a day.
create table unknown_sign_in (
    oem_id bigint not null references oem (id) on delete cascade,
    address_hash text not null,
    failed_sign_ins bigint not null,
    locked_until bigint,
    updated_at bigint not null,
    primary key (oem_id, address_hash)
);
create index ix_unknown_sign_in_age on unknown_sign_in (updated_at);

-- # Templates and devices

create table template (
    id {id},
    oem_id bigint not null references oem (id) on delete cascade,
    name text not null,
    -- Whether partners need the setup code of a device of this template to register it.
    setup_code_required boolean not null default false,
    -- Whether a report with one bad value is refused as a whole.
    strict_reports boolean not null default false,
    -- In seconds. A longer keep-alive of a device, or none, counts as this.
    max_keep_alive bigint not null default 1200,
    created_at bigint not null,
    unique (oem_id, name)
);

create table template_property (
    id {id},
    template_id bigint not null references template (id) on delete cascade,
    name text not null,
    display_name text not null,
    base_type text not null,
    direction text not null,
    ack_enabled boolean not null,
    retention_days bigint not null,
    minimum double precision,
    maximum double precision,
    -- A regular expression that a text has to match from end to end.
    pattern text,
    unique (template_id, name)
);

create table device (
    id {new_id},
    oem_id bigint not null references oem (id) on delete cascade,
    template_id bigint not null references template (id),
    dsn {text} not null unique,
    link_key_hash text not null,
    -- SHA-256 of the serial number and the code printed on the device; null: it has none.
    setup_code_hash text,
    product_name {text} not null,
    model {text} not null,
    oem_model {text} not null,
    mac {text},
    ssid {text},
    lan_enabled boolean not null,
    lan_ip {text},
    sw_version {text},
    -- In degrees.
    lat double precision,
    lng double precision,
    owner_id bigint references users (id) on delete set null,
    -- The gateway of a device that is a node of it; registration_type Node on the wire.
    gateway_id bigint references device (id) on delete set null,
    registered boolean not null,
    registered_at bigint,
    activated_at bigint,
    -- Since when an operator refuses the device; null: it may connect.
    blocked_at bigint,
    street text,
    city text,
    state text,
    country text,
    zip text,
    -- The name of a time zone of IANA.
    tz_id text,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_device_oem on device (oem_id, id);
create index ix_device_created on device (oem_id, created_at, id);
-- A pass over the registered devices, and their number with each of its pages (A-124).
create index ix_device_registered on device (oem_id, registered, id);
create index ix_device_owner on device (owner_id);
create index ix_device_gateway on device (gateway_id);
create index ix_device_template on device (template_id);

create table device_label (
    id {id},
    device_id bigint not null references device (id) on delete cascade,
    role_id bigint not null references role (id) on delete cascade,
    label_key text not null,
    label_value text not null,
    description text,
    unique (device_id, role_id, label_key)
);
create index ix_device_label_scope on device_label (role_id, label_key, label_value, device_id);

create table device_datum (
    device_id bigint not null references device (id) on delete cascade,
    key text not null,
    value text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (device_id, key)
);

-- Registrations of devices, and attempts to register devices that were not free. Attempts have no device_id, and a deleted device must
-- not turn its registrations into attempts.
create table claim (
    id {id},
    user_id bigint references users (id) on delete set null,
    device_id bigint references device (id) on delete cascade,
    claimed_at bigint not null
);
create index ix_claim_user on claim (user_id, claimed_at);
create index ix_claim_device on claim (device_id);

-- Lets a user use a device of its owner, with an operation or with a role that stands for one.
create table share (
    id {id},
    device_id bigint not null references device (id) on delete cascade,
    owner_id bigint not null references users (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    operation text,
    role_id bigint references role (id) on delete cascade,
    -- Null: at once.
    start_at bigint,
    -- The first moment without the share. Null: it does not end.
    end_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    unique (device_id, user_id)
);
create index ix_share_owner on share (owner_id, id);
create index ix_share_user on share (user_id, id);
create index ix_share_role on share (role_id);
create index ix_share_end on share (end_at);

-- # Connections

-- Changes often, so it is separate from the wide row of the device and its indexes.
create table device_state (
    device_id bigint primary key references device (id) on delete cascade,
    status {text} not null,
    connected_at bigint,
    -- When the device was last heard, if its newest connection is, or ended, longer without a packet than its keep-alive allows.
    silent_since bigint,
    -- The times of the latest connections that newer ones replaced, as a JSON array, and when there last were too many.
    replacements text,
    shared_identity_at bigint,
    -- Counts the connections: only the newest one changes the status.
    generation bigint not null default 0,
    -- The node that has the newest connection.
    cloud_node_id text,
    -- How often an operator revoked the connections of the device, and when last. A connection that signed in under a lower count ends.
    revocation bigint not null default 0,
    revoked_at bigint,
    -- When the device link last refused a connection or a packet of the device, and why.
    refused_at bigint,
    refusal {text},
    -- The newest day of UTC with faults of messages, in days since 1970-01-01, and the number of faults then and on the day before.
    fault_day bigint,
    day_faults bigint not null default 0,
    previous_day_faults bigint not null default 0
)
-- [postgres]
with (fillfactor = 50) -- with free space in the page, an update of a row changes no index
-- [both]
;
create index ix_device_state_revoked on device_state (revoked_at) where revoked_at is not null;

-- Parts of messages of devices that were not stored.
create table device_fault (
    device_id bigint not null references device (id) on delete cascade,
    -- A property, a member of the message, the kind of the message, or a short form of a name that no property has.
    subject {text} not null,
    kind text not null,
    count bigint not null,
    -- Describes the last value.
    shape text not null,
    last_at bigint not null,
    -- When the subject was logged last.
    logged_at bigint not null,
    primary key (device_id, subject, kind)
);

-- A row for each change of a connection. Append-only; the times of a device never decrease.
create table connection_change (
    id {id},
    device_id bigint not null references device (id) on delete cascade,
    status text not null,
    at bigint not null
);
create index ix_connection_change_device on connection_change (device_id, id);
create index ix_connection_change_at on connection_change (at);

-- One row: the latest time that a node has read from its clock, and the last time at which retention trusted it.
create table clock_reading (
    id bigint primary key check (id = 1),
    seen_at bigint not null,
    trusted_at bigint not null
);

-- The running nodes of the cloud.
create table cloud_node (
    id text primary key,
    started_at bigint not null,
    heartbeat_at bigint not null,
    -- The number of heartbeats.
    beats bigint not null default 0,
    -- Set by another node when heartbeats are missing for too long. The row is deleted when the devices of the node are Offline.
    dead_since bigint
);

-- The random name of this installation on a bus that others may share: one row with the id 1.
create table bus_scope (
    id bigint not null primary key,
    scope text not null
);

-- # Properties, their history and commands

create table property (
    id {new_id},
    device_id bigint not null references device (id) on delete cascade,
    template_property_id bigint not null references template_property (id) on delete cascade,
    -- The value that readers see: a pending command has precedence over the device's report (A-48). metadata: that of its datapoint.
    value text,
    value_at bigint,
    metadata text,
    -- What the device reported last. Metadata comes from an acknowledged command.
    reported_value text,
    reported_at bigint,
    reported_metadata text,
    -- The newest command that the device accepted: an earlier one that is acknowledged later does not change the value.
    acked_command {text},
    -- The newest command, while it is pending.
    command_id {text},
    -- The newest datapoint: the history is a chain, and each datapoint names the previous one (docs/adr/0005).
    last_datapoint {text},
    -- A reset detaches the datapoints of a property. Only those with higher ids than this can belong to its chain.
    detached_to {text},
    unique (device_id, template_property_id)
)
-- [postgres]
with (fillfactor = 50) -- with free space in the page, an update of a row changes no index
-- [both]
;
create index ix_property_template on property (template_property_id);

-- Append-only. The id is a UUID of version 7, ordered by time, so that new rows are added at the end.
create table datapoint (
    id {text} not null primary key,
    -- Without a foreign key, which would be checked for each row.
    property_id bigint not null,
    previous {text},
    value text not null,
    -- Whether the device reported the value.
    echo boolean not null,
    user_uuid text,
    -- JSON.
    metadata text,
    created_at bigint not null,
    created_at_from_device bigint
)
-- [sqlite]
without rowid
-- [postgres]
partition by range (id) -- by month (docs/adr/0014)
-- [both]
;
-- [postgres]
-- Datapoints of a month without a partition.
create table datapoint_default partition of datapoint default;
-- [both]
-- Finds a distant part of a history by one of 64 datapoints, selected by the last two digits of the id (docs/adr/0005).
create index ix_datapoint_sparse on datapoint (property_id, id) where substr(id, 35) in ('00', '40', '80', 'c0');

-- Datapoints of properties with this retention are deleted up to this id.
create table retention (
    days bigint not null primary key,
    cleared_to {text} not null
);

-- A user's datapoint that awaits the acknowledgement of the device; id is that of the datapoint.
create table command (
    id {text} primary key,
    device_id bigint not null references device (id) on delete cascade,
    property_id bigint not null references property (id) on delete cascade,
    value text not null,
    state text not null,
    created_at bigint not null,
    expires_at bigint not null,
    ack_status bigint,
    ack_message text,
    acked_at bigint
);
create index ix_command_device on command (device_id, state);
create index ix_command_property on command (property_id);
create index ix_command_due on command (state, expires_at);
-- The device link looks for pending commands of the last seconds.
create index ix_command_recent on command (created_at) where state = 'pending';

-- A file of a file property. Its datapoint has the same id, and is created when the client declares the upload complete.
create table file (
    id {text} not null primary key,
    property_id bigint not null references property (id) on delete cascade,
    user_uuid text not null,
    metadata text,
    -- Signs the addresses of the content.
    secret text not null,
    -- The upload that writes the chunks; a newer one replaces it.
    upload text,
    -- In bytes, once all chunks are stored.
    size bigint,
    created_at bigint not null,
    closed_at bigint,
    fetched_at bigint
);
create index ix_file_property on file (property_id);
create index ix_file_open on file (created_at) where closed_at is null;

create table file_chunk (
    file_id {text} not null references file (id) on delete cascade,
    number bigint not null,
    bytes {bytes} not null,
    primary key (file_id, number)
);

-- A subscription ends with the session that created it: its stream key must not outlive a sign-out or a change of the password.
create table subscription (
    id {id},
    user_id bigint not null references users (id) on delete cascade,
    session_id bigint not null references session (id) on delete cascade,
    name text not null,
    description text not null,
    dsn {text},
    property_name text not null,
    oem_model {text},
    client_type text not null,
    subscription_type text not null,
    -- Not a hash: each GET of a subscription returns it.
    stream_key text not null unique,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_subscription_user on subscription (user_id);
create index ix_subscription_session on subscription (session_id);

-- # Notifications and triggers

-- Reports that a device connects or disconnects.
create table notification (
    id {new_id},
    device_id bigint not null references device (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    notification_type text not null,
    -- In seconds.
    threshold bigint not null,
    message text,
    -- Since when the connection is lost, and when that has lasted for the threshold; due_at is null again after the report.
    lost_at bigint,
    due_at bigint,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_notification_device on notification (device_id, id);
create index ix_notification_user on notification (user_id);
create index ix_notification_due on notification (due_at) where notification_type = 'on_connection_lost' and due_at is not null;

-- A recipient of a notification.
create table notification_app (
    id {id},
    notification_id bigint not null references notification (id) on delete cascade,
    -- Who chose the recipient: the last user who created or changed the app.
    user_id bigint not null references users (id) on delete cascade,
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
create index ix_notification_app_user on notification_app (user_id);

-- Reports values of a property.
create table property_trigger (
    id {new_id},
    property_id bigint not null references property (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    trigger_type text not null,
    compare_type text,
    value text,
    active boolean not null,
    -- The previous value of the property, as far as the condition needs it.
    last_value text,
    triggered_at bigint,
    -- When a value last met the condition after one that did not, and how often.
    crossed_at bigint,
    crossings bigint not null default 0,
    created_at bigint not null
);
create index ix_property_trigger_property on property_trigger (property_id, id);
create index ix_property_trigger_user on property_trigger (user_id);

-- A recipient of a trigger.
create table trigger_app (
    id {id},
    trigger_id bigint not null references property_trigger (id) on delete cascade,
    -- Who chose the recipient: the last user who created or changed the app.
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    nickname text,
    username text,
    -- In seconds.
    repeat_freq bigint not null,
    -- An e-mail's address, subject and text, or a text message's country code, number and text.
    param1 text,
    param2 text,
    param3 text,
    param4 text,
    param5 text,
    email_template_id text,
    told_at bigint,
    -- The crossings of the trigger when the app was created.
    crossings bigint not null default 0,
    created_at bigint not null
);
create index ix_trigger_app_trigger on trigger_app (trigger_id, id);
create index ix_trigger_app_user on trigger_app (user_id);

-- # Rules

create table rule_action (
    id {new_id},
    uuid text not null unique,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    type text not null,
    -- A JSON object.
    parameters text not null,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_rule_action_user on rule_action (user_id, id);

create table rule (
    id {new_id},
    uuid text not null unique,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    description text,
    expression text not null,
    is_enabled boolean not null,
    -- The beginning of an hour, and how often the rule fired within it.
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

-- The devices that the expression of a rule refers to: one device, or all devices of a user.
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

-- Events that rules have not evaluated yet, with a row for each rule; written in the transaction of the event. Without foreign keys: a
-- transaction that writes events must not wait for one that deletes rules.
create table rule_event (
    id text not null primary key,
    rule_id bigint not null,
    -- The owner of the rule. Owners take turns, and have a limited number of pending events.
    user_id bigint not null,
    device_id bigint not null,
    kind text not null,
    property text,
    datapoint_id text,
    -- JSON: the value of the datapoint, whether the device is Online or registered, or its latitude and longitude.
    value text not null,
    -- How many rules led to the event.
    depth bigint not null,
    created_at bigint not null,
    -- When to evaluate. While a node does, the time at which others may take over from it, and the node's claim.
    due_at bigint not null,
    claim text
);
create index ix_rule_event_owner on rule_event (user_id, due_at, id);
-- A claim begins with the id of its node, so that the claims of a dead node are found and released.
create index ix_rule_event_claim on rule_event (claim) where claim is not null;

-- # Schedules

create table schedule (
    id {id},
    device_id bigint not null references device (id) on delete cascade,
    name text not null,
    display_name text not null,
    direction text not null,
    active boolean not null,
    fixed_actions boolean not null,
    -- JSON (domain::schedule::Plan).
    plan text not null,
    -- The next time to look at the schedule; null: never. Computed anew when the plan, the time zone of the device or active changes.
    due_at bigint,
    unique (device_id, name)
);
create index ix_schedule_due on schedule (due_at) where due_at is not null;

create table schedule_action (
    id {id},
    schedule_id bigint not null references schedule (id) on delete cascade,
    name text not null,
    base_type text not null,
    value text not null,
    active boolean not null,
    -- at_start, at_end or in_range; null: the action is not executed.
    fire_point text
);
create index ix_schedule_action_schedule on schedule_action (schedule_id, id);

-- Schedules that a device gets when it is registered.
create table template_schedule (
    id {id},
    template_id bigint not null references template (id) on delete cascade,
    name text not null,
    display_name text not null,
    active boolean not null,
    plan text not null,
    unique (template_id, name)
);

create table template_schedule_action (
    id {id},
    template_schedule_id bigint not null references template_schedule (id) on delete cascade,
    name text not null,
    base_type text not null,
    value text not null,
    fire_point text not null
);
create index ix_template_schedule_action on template_schedule_action (template_schedule_id, id);

-- # Messages to people

-- Written in the transaction of their cause, and delivered from here. The id is a UUID of version 7, ordered by time, and names the
-- message on the wire, too.
create table outbox (
    id {text} not null primary key,
    oem_id bigint not null references oem (id) on delete cascade,
    user_id bigint references users (id) on delete set null,
    kind text not null,
    -- email or sms.
    channel text not null,
    recipient text not null,
    subject text not null,
    body text not null,
    html text not null,
    link text,
    email_template_id text,
    -- waiting, sent or failed; kept: by a node without a mail server.
    state text not null,
    attempts bigint not null default 0,
    created_at bigint not null,
    -- When it was written, or when an operator last requested another attempt; the time after which it fails counts from here.
    waiting_since bigint not null,
    -- When to try next. While a node tries, the time at which others may take over from it, and the node's claim.
    due_at bigint not null,
    claim text,
    last_error text,
    delivered_at bigint
);
create index ix_outbox_user on outbox (user_id);
-- Messages about accounts are delivered before messages that devices cause, and manufacturers take turns.
create index ix_outbox_account on outbox (channel, oem_id, due_at)
    where state = 'waiting' and kind not in ('connection', 'value', 'rule', 'budget');
create index ix_outbox_device on outbox (channel, oem_id, due_at)
    where state = 'waiting' and kind in ('connection', 'value', 'rule', 'budget');
-- A claim begins with the id of its node, so that the claims of a dead node are found and released.
create index ix_outbox_claim on outbox (claim) where claim is not null;

-- The last message of a source (a trigger, a notification or an action of a rule) to a recipient. Without foreign keys: rows of deleted
-- sources, whose ids are not used again, are deleted after their retention.
create table message_gap (
    source text not null,
    source_id bigint not null,
    channel text not null,
    recipient text not null,
    -- The device of the newest event.
    device_id bigint not null,
    sent_at bigint,
    -- What the message at sent_at reported: lost or connected, or a value as JSON. Null: an event without a state, or no message.
    reported_state text,
    -- The number of events since sent_at without a message.
    held_back bigint not null,
    -- The crossings of a trigger up to which events are reported, or counted in held_back.
    crossings bigint not null default 0,
    -- When to decide whether the state after the events that were held back is sent. Null: nothing is pending.
    due_at bigint,
    updated_at bigint not null,
    primary key (source, source_id, channel, recipient)
);
create index ix_message_gap_updated on message_gap (updated_at);
create index ix_message_gap_due on message_gap (source, due_at) where due_at is not null;

-- Messages that were charged to a daily budget, and messages that it held back.
create table message_count (
    -- In UTC, such as 2026-11-20.
    day text not null,
    -- manufacturer, partner, author, device or notice (of an author), and the id of that row; for partner, that of the role of its administrators.
    scope text not null,
    scope_id bigint not null,
    -- The label value of the partner; empty for other scopes.
    partner text not null default '',
    channel text not null,
    oem_id bigint not null,
    sent bigint not null default 0,
    held_back bigint not null default 0,
    primary key (day, oem_id, scope, scope_id, partner, channel)
);

-- The addresses that got a notice about a spent budget on a day: each gets one.
create table budget_notice (
    -- In UTC, such as 2026-11-20.
    day text not null,
    oem_id bigint not null references oem (id) on delete cascade,
    channel text not null,
    recipient text not null,
    primary key (day, oem_id, channel, recipient)
);

-- Limits of a manufacturer that differ from the options of the cloud. per_…: messages per day.
create table message_limits (
    oem_id bigint not null primary key references oem (id) on delete cascade,
    gap_seconds bigint,
    per_device bigint,
    per_author bigint,
    per_manufacturer bigint,
    per_partner bigint
);

-- [postgres]
-- # Changes of the partitions of the history

-- Functions with the rights of their owner, the role that migrates. A node can then run with a role that cannot change the schema
-- (docs/how-to/postgresql-roles.md). Each takes a day of a month instead of names and ranges, so that its caller can change no other
-- table. The caller holds the advisory lock of partitions.

-- The first id of a month of UTC: a UUID of version 7, as `platform::random::first_uuid_at` returns it.
create function first_id_of_month(day date) returns text language sql immutable as $function$
    select substr(hex, 1, 8) || '-' || substr(hex, 9) || '-7000-8000-000000000000'
    from lpad(to_hex((extract(epoch from date_trunc('month', day::timestamp)) * 1000)::bigint), 12, '0') as hex
$function$;

-- Creates the partition of a month that has none, and moves its rows out of the default partition. The lock on the whole table is held
-- for the time of that: a writer that had chosen the default partition already would fail.
create function create_history_month(day date) returns void language plpgsql security definer as $function$
declare
    since text := first_id_of_month(day);
    until text := first_id_of_month((day + interval '1 month')::date);
    partition_name text := 'datapoint_' || to_char(day, 'YYYY_MM');
begin
    if exists (
        select from pg_inherits i
        join pg_class c on c.oid = i.inhrelid
        cross join pg_get_expr(c.relpartbound, c.oid) as bounds
        where i.inhparent = to_regclass('datapoint')
          and coalesce(substring(bounds from 'FROM \(''([^'']+)'''), '') <= since collate "C"
          and since < substring(bounds from 'TO \(''([^'']+)''') collate "C"
    ) then
        return;
    end if;
    lock table datapoint in access exclusive mode;
    execute format('create table %I (like datapoint including all)', partition_name);
    execute format(
        'with moved as (delete from datapoint_default where id >= %L and id < %L returning *)
         insert into %I select * from moved',
        since, until, partition_name
    );
    execute format('alter table datapoint attach partition %I for values from (%L) to (%L)', partition_name, since, until);
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

do $do$
declare
    name text;
begin
    foreach name in array array['create_history_month(date)', 'drop_history_months(date)'] loop
        -- Objects of the caller, in its own schema or a temporary one, cannot take the place of ours.
        execute format('alter function %s set search_path = %I, pg_temp', name, current_schema());
        execute format('revoke execute on function %s from public', name);
    end loop;
end $do$;
