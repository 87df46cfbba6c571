-- The running nodes of the cloud. beats counts the heartbeats of a node. dead_since is set by another node when there were none for too
-- long; the row is deleted when the node's devices are Offline.
create table cloud_node (
    id text primary key,
    started_at bigint not null,
    heartbeat_at bigint not null,
    beats bigint not null default 0,
    dead_since bigint
);

-- The node that has the device's newest connection; null for connections from before this version.
alter table device_state add column cloud_node_id text;
