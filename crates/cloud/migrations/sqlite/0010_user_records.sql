-- What people keep for themselves, and whom they let use their devices. All of it goes with the account.
create table user_datum (
    user_id bigint not null references users (id) on delete cascade,
    key text not null,
    value text not null,
    created_at bigint not null,
    updated_at bigint not null,
    primary key (user_id, key)
);

-- metadata: any JSON; oem_models: texts with commas.
create table contact (
    id integer primary key,
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
    metadata text,
    oem_models text,
    email_notification boolean not null,
    sms_notification boolean not null,
    push_notification boolean not null,
    created_at bigint not null,
    updated_at bigint not null
);
create index ix_contact_user on contact (user_id, id);

-- Lets user_id use a device from start_at (null: at once) until just before end_at (null: for ever). Either an operation,
-- or a role that stands for one.
create table share (
    id integer primary key,
    device_id bigint not null references device (id) on delete cascade,
    owner_id bigint not null references users (id) on delete cascade,
    user_id bigint not null references users (id) on delete cascade,
    operation text,
    role_id bigint references role (id) on delete cascade,
    start_at bigint,
    end_at bigint,
    created_at bigint not null,
    updated_at bigint not null,
    unique (device_id, user_id)
);
create index ix_share_owner on share (owner_id, id);
create index ix_share_user on share (user_id, id);
create index ix_share_role on share (role_id);
create index ix_share_end on share (end_at);
