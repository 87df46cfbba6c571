-- What the list is searched, filtered and sorted by besides its columns. The index begins anew: the next pass fills it.
DELETE FROM idx_device_state;
DELETE FROM idx_devices;
UPDATE idx_sync SET wanted = wanted + 1, as_of = NULL;

-- The words of all texts that one search looks through, each after two blanks: the beginning of a word has three characters
-- then, however short it is.
ALTER TABLE idx_devices ADD COLUMN search_folded TEXT COLLATE "C" NOT NULL DEFAULT '';
-- Where it stands, in metres from the centre of the earth: distances need no trigonometry, and have no seam anywhere.
ALTER TABLE idx_devices ADD COLUMN x BIGINT;
ALTER TABLE idx_devices ADD COLUMN y BIGINT;
ALTER TABLE idx_devices ADD COLUMN z BIGINT;
CREATE INDEX idx_devices_position ON idx_devices (z, x, y, dsn);
CREATE INDEX idx_devices_csp_position ON idx_devices (csp, z, x, y, dsn);
CREATE INDEX idx_devices_search ON idx_devices USING gin (search_folded gin_trgm_ops);

-- connection_status is Online, Offline or NeverConnected. Since when, as far as known; 0 for what never connected.
ALTER TABLE idx_device_state ADD COLUMN connection_changed_at BIGINT NOT NULL DEFAULT 0;
-- The level, unknown ones above and below all others: they come last in both directions.
ALTER TABLE idx_device_state ADD COLUMN remaining_rising BIGINT NOT NULL DEFAULT 101;
ALTER TABLE idx_device_state ADD COLUMN remaining_falling BIGINT NOT NULL DEFAULT -1;
CREATE INDEX idx_device_state_changed ON idx_device_state (connection_status, connection_changed_at);
CREATE INDEX idx_device_state_csp_changed ON idx_device_state (csp, connection_status, connection_changed_at);
CREATE INDEX idx_device_state_remaining_rising ON idx_device_state (remaining_rising, dsn);
CREATE INDEX idx_device_state_csp_remaining_rising ON idx_device_state (csp, remaining_rising, dsn);
CREATE INDEX idx_device_state_remaining_falling ON idx_device_state (remaining_falling, dsn);
CREATE INDEX idx_device_state_csp_remaining_falling ON idx_device_state (csp, remaining_falling, dsn);
