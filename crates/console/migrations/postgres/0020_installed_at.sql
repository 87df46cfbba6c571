-- The day on which a device was installed, as in ISO 8601; empty if unknown. The next pass fills it.
ALTER TABLE idx_devices ADD COLUMN installed_at TEXT COLLATE "C" NOT NULL DEFAULT '';
-- The same, with devices without a date after all others: they come last in both directions.
ALTER TABLE idx_devices ADD COLUMN installed_at_rising TEXT COLLATE "C" NOT NULL DEFAULT '~';
CREATE INDEX idx_devices_installed_at ON idx_devices (installed_at, dsn);
CREATE INDEX idx_devices_csp_installed_at ON idx_devices (csp, installed_at, dsn);
CREATE INDEX idx_devices_installed_at_rising ON idx_devices (installed_at_rising, dsn);
CREATE INDEX idx_devices_csp_installed_at_rising ON idx_devices (csp, installed_at_rising, dsn);
UPDATE idx_sync SET wanted = wanted + 1;
