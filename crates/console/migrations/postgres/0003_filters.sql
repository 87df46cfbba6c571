-- Every text that the list is filtered by has a folded copy beside it. The index begins anew: the next pass fills it.
DROP TABLE idx_devices;
DELETE FROM idx_device_state;
UPDATE idx_sync SET as_of = NULL;

CREATE TABLE idx_devices (
    dsn TEXT COLLATE "C" PRIMARY KEY,
    csp TEXT COLLATE "C" NOT NULL,
    serial_number TEXT COLLATE "C" NOT NULL,
    customer TEXT COLLATE "C" NOT NULL,
    customer_id TEXT COLLATE "C" NOT NULL,
    store_number TEXT COLLATE "C" NOT NULL,
    service_area TEXT COLLATE "C" NOT NULL,
    system_configuration TEXT COLLATE "C" NOT NULL,
    fragrance TEXT COLLATE "C" NOT NULL,
    network TEXT COLLATE "C" NOT NULL,
    city TEXT COLLATE "C" NOT NULL,
    state_province TEXT COLLATE "C" NOT NULL,
    country TEXT COLLATE "C" NOT NULL,
    time_zone TEXT COLLATE "C" NOT NULL,
    created_at BIGINT NOT NULL,
    -- In one case, for the filters (A-38). Folded before they come here: SQLite would fold ASCII only.
    dsn_folded TEXT COLLATE "C" NOT NULL,
    serial_number_folded TEXT COLLATE "C" NOT NULL,
    customer_folded TEXT COLLATE "C" NOT NULL,
    service_area_folded TEXT COLLATE "C" NOT NULL,
    -- Empty for a device on the LAN.
    ssid_folded TEXT COLLATE "C" NOT NULL,
    city_folded TEXT COLLATE "C" NOT NULL,
    state_province_folded TEXT COLLATE "C" NOT NULL,
    country_folded TEXT COLLATE "C" NOT NULL
);
CREATE INDEX idx_devices_created_at ON idx_devices (created_at, dsn);
CREATE INDEX idx_devices_csp ON idx_devices (csp, created_at, dsn);
