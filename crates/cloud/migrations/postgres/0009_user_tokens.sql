-- What a person shows who followed a link of a mail: one open token per purpose, a digest of it only.
create table user_token (
    user_id bigint not null references users (id) on delete cascade,
    purpose text not null,
    hash text not null unique,
    expires_at bigint not null,
    primary key (user_id, purpose)
);
