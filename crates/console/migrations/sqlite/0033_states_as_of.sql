-- The time of the states that the live stream reports; as_of is the time of everything, which only passes advance.
ALTER TABLE idx_sync ADD COLUMN states_as_of BIGINT;
UPDATE idx_sync SET states_as_of = as_of;
