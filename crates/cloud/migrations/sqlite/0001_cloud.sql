-- Instants are microseconds since 1970; values of properties and datapoints are JSON scalars; secrets are SHA-256 only.

create table oem (
    id integer primary key,
    code text not null unique,
    name text not null unique,
    created_at bigint not null
);

create table application (
    id integer primary key,
    oem_id bigint not null references oem (id) on delete cascade,
    app_id text not null unique,
    name text not null,
    secret_hash text not null,
    created_at bigint not null
);

create table role (
    id integer primary key,
    oem_id bigint not null references oem (id) on delete cascade,
    name text not null,
    kind text not null,
    label_key text,
    unique (oem_id, name)
);

create table users (
    id integer primary key,
    uuid text not null unique,
    oem_id bigint not null references oem (id) on delete cascade,
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
    machine boolean not null,
    confirmed_at bigint,
    failed_sign_ins bigint not null default 0,
    locked_until bigint,
    created_at bigint not null,
    updated_at bigint not null,
    unique (oem_id, email)
);

create table user_role (
    user_id bigint not null references users (id) on delete cascade,
    role_id bigint not null references role (id) on delete cascade,
    label_value text,
    primary key (user_id, role_id)
);

create table session (
    id integer primary key,
    user_id bigint not null references users (id) on delete cascade,
    access_hash text not null unique,
    access_expires_at bigint not null,
    created_at bigint not null
);
create index ix_session_user on session (user_id);

-- The current refresh token of a session (honoured_until null) and those that it replaced a moment ago.
create table refresh_token (
    hash text primary key,
    session_id bigint not null references session (id) on delete cascade,
    honoured_until bigint
);
create index ix_refresh_token_session on refresh_token (session_id);

create table template (
    id integer primary key,
    oem_id bigint not null references oem (id) on delete cascade,
    name text not null,
    created_at bigint not null,
    unique (oem_id, name)
);

create table template_property (
    id integer primary key,
    template_id bigint not null references template (id) on delete cascade,
    name text not null,
    display_name text not null,
    base_type text not null,
    direction text not null,
    ack_enabled boolean not null,
    retention_days bigint not null,
    minimum double precision,
    maximum double precision,
    unique (template_id, name)
);

create table device (
    id integer primary key,
    oem_id bigint not null references oem (id) on delete cascade,
    template_id bigint not null references template (id),
    dsn text not null unique,
    link_key_hash text not null,
    product_name text not null,
    model text not null,
    oem_model text not null,
    mac text,
    ssid text,
    lan_enabled boolean not null,
    lan_ip text,
    sw_version text,
    lat double precision,
    lng double precision,
    owner_id bigint references users (id) on delete set null,
    registered boolean not null,
    registered_at bigint,
    activated_at bigint,
    street text,
    city text,
    state text,
    country text,
    zip text,
    tz_id text,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_device_oem on device (oem_id, id);
create index ix_device_created on device (oem_id, created_at, id);
create index ix_device_owner on device (owner_id);
create index ix_device_template on device (template_id);

-- Changes often, so it stands apart from the wide, indexed row.
create table device_state (
    device_id bigint primary key references device (id) on delete cascade,
    status text not null,
    connected_at bigint,
    generation bigint not null default 0
);

create table device_label (
    id integer primary key,
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

-- value: what readers see; a pending command stands above what the device reports (A-48).
create table property (
    id integer primary key,
    device_id bigint not null references device (id) on delete cascade,
    template_property_id bigint not null references template_property (id) on delete cascade,
    value text,
    value_at bigint,
    reported_value text,
    reported_at bigint,
    command_id text,
    unique (device_id, template_property_id)
);
create index ix_property_template on property (template_property_id);

-- Append-only.
create table datapoint (
    id integer primary key,
    uuid text not null unique,
    property_id bigint not null references property (id) on delete cascade,
    value text not null,
    echo boolean not null,
    user_uuid text,
    metadata text,
    created_at bigint not null,
    created_at_from_device bigint
);
create index ix_datapoint_property on datapoint (property_id, created_at, id);

-- What a user wrote and the device has to obey; id is the datapoint's uuid.
create table command (
    id text primary key,
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

-- The stream key stands here as it is: every GET of a subscription shows it again.
create table subscription (
    id integer primary key,
    user_id bigint not null references users (id) on delete cascade,
    name text not null,
    description text not null,
    dsn text,
    property_name text not null,
    oem_model text,
    client_type text not null,
    subscription_type text not null,
    stream_key text not null unique,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_subscription_user on subscription (user_id);
