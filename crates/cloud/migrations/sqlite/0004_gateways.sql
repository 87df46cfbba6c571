-- A device behind a gateway is a node of it; registration_type Node on the wire.
alter table device add column gateway_id bigint references device (id) on delete set null;
create index ix_device_gateway on device (gateway_id);
