-- A far part of a history is found by a sparse index: one of 64 datapoints, by the last two digits of its id (docs/adr/0005).
create index ix_datapoint_sparse on datapoint (property_id, id) where substr(id, 35) in ('00', '40', '80', 'c0');

-- A reset detaches the datapoints of a property. Only those with higher ids than this can belong to its chain. Which older ones
-- were detached before this migration is unknown.
alter table property add column detached_to text;
update property set detached_to = substr(last_datapoint, 1, 18) || 'g' where last_datapoint is not null;
