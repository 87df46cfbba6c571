-- Wrong passwords for addresses that no user has: they are answered as those of users are. Rows are deleted after a day.
create table unknown_sign_in (
    oem_id bigint not null references oem (id) on delete cascade,
    address_hash text not null,
    failed_sign_ins bigint not null,
    locked_until bigint,
    updated_at bigint not null,
    primary key (oem_id, address_hash)
);
create index ix_unknown_sign_in_age on unknown_sign_in (updated_at);
