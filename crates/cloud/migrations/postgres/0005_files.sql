-- A file of a file property. Its datapoint has the same id, and comes when whoever uploads says that it is complete.
-- upload: the upload that writes its chunks; a newer one takes over. size: of all chunks, once they are there.
-- secret: signs the addresses of its bytes.
create table file (
    id text collate "C" primary key,
    property_id bigint not null references property (id) on delete cascade,
    user_uuid text not null,
    metadata text,
    secret text not null,
    upload text,
    size bigint,
    created_at bigint not null,
    closed_at bigint,
    fetched_at bigint
);
create index ix_file_property on file (property_id);
create index ix_file_open on file (created_at) where closed_at is null;

create table file_chunk (
    file_id text collate "C" not null references file (id) on delete cascade,
    number bigint not null,
    bytes bytea not null,
    primary key (file_id, number)
);
