-- A subscription goes with the session that made it: its stream key must not outlive a sign-out or another password. Which
-- session made those that are there is unknown, and clients make new ones.
drop table subscription;
create table subscription (
    id integer primary key,
    user_id bigint not null references users (id) on delete cascade,
    session_id bigint not null references session (id) on delete cascade,
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
create index ix_subscription_session on subscription (session_id);
