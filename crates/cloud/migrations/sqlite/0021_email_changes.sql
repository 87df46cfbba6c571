-- Changes of a user's address, each until the link that cancels it expires. confirmation_hash is null once the change is
-- confirmed or replaced by a newer one.
create table email_change (
    id integer primary key,
    user_id bigint not null references users (id) on delete cascade,
    old_email text not null,
    new_email text not null,
    confirmation_hash text unique,
    cancellation_hash text not null unique,
    expires_at bigint not null
);
create index email_change_user on email_change (user_id, id);
create index email_change_expires_at on email_change (expires_at);
