-- In whose care a user is whom a partner's administrator left without a role, until somebody gives them one again.
create table custody (
    user_id bigint primary key references users (id) on delete cascade,
    label_key text not null,
    label_value text not null
);
create index ix_custody_label on custody (label_key, label_value, user_id);
