-- A pass compares instead of stamping: the rows' generation goes, the cloud's key comes, by which the pass walks. The index
-- begins anew: the next pass fills it.
DELETE FROM idx_devices;
DELETE FROM idx_device_state;

-- The cloud's key of the device.
ALTER TABLE idx_devices ADD COLUMN key BIGINT NOT NULL DEFAULT 0;
CREATE INDEX idx_devices_key ON idx_devices (key);

ALTER TABLE idx_device_state DROP COLUMN generation;
-- Until then a read of this one device may be out whose answer is older than what the next page of a pass shows.
ALTER TABLE idx_device_state ADD COLUMN reading_until BIGINT NOT NULL DEFAULT 0;

-- One row: the passes.
DROP TABLE idx_sync;
CREATE TABLE idx_sync (
    id BIGINT PRIMARY KEY,
    -- How many passes were asked for, on any node …
    wanted BIGINT NOT NULL,
    -- … and how many of these wishes are fulfilled: by a complete pass that began after them.
    served BIGINT NOT NULL,
    -- Nothing that happened before is missing from the index; NULL until the first pass is complete.
    as_of BIGINT
);
INSERT INTO idx_sync (id, wanted, served, as_of) VALUES (1, 0, 0, NULL);

-- Which node does what only one may do at a time (platform::lease).
CREATE TABLE leases (
    name TEXT PRIMARY KEY,
    holder TEXT NOT NULL,
    until BIGINT NOT NULL
);
