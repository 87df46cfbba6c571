-- Every text that the list is filtered by has a folded copy beside it. The index begins anew: the next pass fills it.
DROP TABLE idx_devices;
DELETE FROM idx_device_state;
UPDATE idx_sync SET as_of = NULL;

CREATE TABLE idx_devices (
    dsn TEXT PRIMARY KEY,
    csp TEXT NOT NULL,
    serial_number TEXT NOT NULL,
    customer TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    store_number TEXT NOT NULL,
    service_area TEXT NOT NULL,
    system_configuration TEXT NOT NULL,
    fragrance TEXT NOT NULL,
    network TEXT NOT NULL,
    city TEXT NOT NULL,
    state_province TEXT NOT NULL,
    country TEXT NOT NULL,
    time_zone TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- In one case, for the filters (A-38). Folded before they come here: SQLite would fold ASCII only.
    dsn_folded TEXT NOT NULL,
    serial_number_folded TEXT NOT NULL,
    customer_folded TEXT NOT NULL,
    service_area_folded TEXT NOT NULL,
    -- Empty for a device on the LAN.
    ssid_folded TEXT NOT NULL,
    city_folded TEXT NOT NULL,
    state_province_folded TEXT NOT NULL,
    country_folded TEXT NOT NULL
);
CREATE INDEX idx_devices_created_at ON idx_devices (created_at, dsn);
CREATE INDEX idx_devices_csp ON idx_devices (csp, created_at, dsn);
