-- Messages to people, written in the transaction that causes them and delivered from here. The id is a UUID of version 7,
-- ordered by time, and names the message on the wire too.
-- state: waiting, sent, failed; kept = by a node that has no mail server.
-- waiting_since: when it was written, or when an operator last asked to try again; counts until it is given up.
-- due_at: when to try next. While a node tries it is when others may take over from it; claim names that try.
create table outbox (
    id text primary key not null,
    oem_id bigint not null references oem (id) on delete cascade,
    user_id bigint references users (id) on delete set null,
    kind text not null,
    channel text not null,
    recipient text not null,
    subject text not null,
    body text not null,
    html text not null,
    link text,
    email_template_id text,
    state text not null,
    attempts bigint not null default 0,
    created_at bigint not null,
    waiting_since bigint not null,
    due_at bigint not null,
    claim text,
    last_error text,
    delivered_at bigint
);
create index ix_outbox_due on outbox (due_at) where state = 'waiting';
create index ix_outbox_user on outbox (user_id);
