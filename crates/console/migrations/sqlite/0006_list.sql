-- What it takes to answer lists of a million devices as fast as lists of ten thousand (docs/adr/0007). The index begins anew:
-- the next pass fills it.
DROP TABLE idx_devices;
DROP TABLE idx_device_state;

CREATE TABLE idx_devices (
    -- The full-text index knows rows by this number.
    id INTEGER PRIMARY KEY,
    dsn TEXT NOT NULL UNIQUE,
    -- The cloud's key of the device.
    key BIGINT NOT NULL,
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
    -- In one case, to filter and to sort by (A-37, A-38). Folded before they come here: SQLite would fold ASCII only.
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
-- By key a pass walks.
CREATE INDEX idx_devices_key ON idx_devices (key);
-- For each column that a list can be sorted by, in the order of a list, for the whole fleet and for one CSP.
CREATE INDEX idx_devices_created_at ON idx_devices (created_at, dsn);
CREATE INDEX idx_devices_dsn_folded ON idx_devices (dsn_folded, dsn);
CREATE INDEX idx_devices_serial_number_folded ON idx_devices (serial_number_folded, dsn);
CREATE INDEX idx_devices_customer_folded ON idx_devices (customer_folded, dsn);
CREATE INDEX idx_devices_service_area_folded ON idx_devices (service_area_folded, dsn);
CREATE INDEX idx_devices_system_configuration ON idx_devices (system_configuration, dsn);
CREATE INDEX idx_devices_ssid_folded ON idx_devices (ssid_folded, dsn);
CREATE INDEX idx_devices_city_folded ON idx_devices (city_folded, dsn);
CREATE INDEX idx_devices_state_province_folded ON idx_devices (state_province_folded, dsn);
CREATE INDEX idx_devices_country_folded ON idx_devices (country_folded, dsn);
CREATE INDEX idx_devices_csp ON idx_devices (csp, dsn);
CREATE INDEX idx_devices_csp_created_at ON idx_devices (csp, created_at, dsn);
CREATE INDEX idx_devices_csp_dsn_folded ON idx_devices (csp, dsn_folded, dsn);
CREATE INDEX idx_devices_csp_serial_number_folded ON idx_devices (csp, serial_number_folded, dsn);
CREATE INDEX idx_devices_csp_customer_folded ON idx_devices (csp, customer_folded, dsn);
CREATE INDEX idx_devices_csp_service_area_folded ON idx_devices (csp, service_area_folded, dsn);
CREATE INDEX idx_devices_csp_system_configuration ON idx_devices (csp, system_configuration, dsn);
CREATE INDEX idx_devices_csp_ssid_folded ON idx_devices (csp, ssid_folded, dsn);
CREATE INDEX idx_devices_csp_city_folded ON idx_devices (csp, city_folded, dsn);
CREATE INDEX idx_devices_csp_state_province_folded ON idx_devices (csp, state_province_folded, dsn);
CREATE INDEX idx_devices_csp_country_folded ON idx_devices (csp, country_folded, dsn);

-- What changes all the time, narrow: PostgreSQL writes the whole row and its index entries anew at every update.
CREATE TABLE idx_device_state (
    dsn TEXT PRIMARY KEY,
    -- As in idx_devices, which never changes without this row.
    csp TEXT NOT NULL,
    system_configuration TEXT NOT NULL,
    connection_status TEXT NOT NULL,
    connected_at BIGINT NOT NULL,
    mode BIGINT,
    cycle BIGINT,
    intensity BIGINT,
    fan BIGINT,
    fragrance_remaining BIGINT,
    -- Which of these values a user wrote and the device has not acknowledged, as bits.
    pending BIGINT NOT NULL,
    -- No read that began before this may overwrite the device.
    synced_at BIGINT NOT NULL,
    -- Until then a read of this one device may be out whose answer is older than what the next page of a pass shows.
    reading_until BIGINT NOT NULL DEFAULT 0
) WITHOUT ROWID;
CREATE INDEX idx_device_state_connection_status ON idx_device_state (connection_status, dsn);
CREATE INDEX idx_device_state_csp_connection_status ON idx_device_state (csp, connection_status, dsn);
CREATE INDEX idx_device_state_connected_at ON idx_device_state (connected_at, dsn);
CREATE INDEX idx_device_state_csp_connected_at ON idx_device_state (csp, connected_at, dsn);
-- Of a rare kind of device, all.
CREATE INDEX idx_device_state_kind ON idx_device_state (system_configuration, connection_status);
CREATE INDEX idx_device_state_csp_kind ON idx_device_state (csp, system_configuration, connection_status);

-- How many devices there are of each kind, so that totals need no counting. Kept by triggers on idx_device_state.
CREATE TABLE idx_device_counts (
    csp TEXT NOT NULL,
    system_configuration TEXT NOT NULL,
    connection_status TEXT NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (csp, system_configuration, connection_status)
) WITHOUT ROWID;

CREATE TRIGGER idx_device_counts_insert AFTER INSERT ON idx_device_state BEGIN
    INSERT INTO idx_device_counts (csp, system_configuration, connection_status, n)
    VALUES (new.csp, new.system_configuration, new.connection_status, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER idx_device_counts_delete AFTER DELETE ON idx_device_state BEGIN
    UPDATE idx_device_counts SET n = n - 1
    WHERE (csp, system_configuration, connection_status) = (old.csp, old.system_configuration, old.connection_status);
END;
CREATE TRIGGER idx_device_counts_update AFTER UPDATE OF csp, system_configuration, connection_status ON idx_device_state
WHEN (old.csp, old.system_configuration, old.connection_status)
    <> (new.csp, new.system_configuration, new.connection_status)
BEGIN
    UPDATE idx_device_counts SET n = n - 1
    WHERE (csp, system_configuration, connection_status) = (old.csp, old.system_configuration, old.connection_status);
    INSERT INTO idx_device_counts (csp, system_configuration, connection_status, n)
    VALUES (new.csp, new.system_configuration, new.connection_status, 1)
    ON CONFLICT DO UPDATE SET n = n + 1;
END;

-- Which devices have three characters or more somewhere in a text.
CREATE VIRTUAL TABLE idx_devices_text USING fts5 (
    dsn_folded, serial_number_folded, customer_folded, service_area_folded,
    ssid_folded, city_folded, state_province_folded, country_folded,
    content = '', contentless_delete = 1, tokenize = 'trigram case_sensitive 1'
);
CREATE TRIGGER idx_devices_text_insert AFTER INSERT ON idx_devices BEGIN
    INSERT INTO idx_devices_text (rowid, dsn_folded, serial_number_folded, customer_folded, service_area_folded,
        ssid_folded, city_folded, state_province_folded, country_folded)
    VALUES (new.id, new.dsn_folded, new.serial_number_folded, new.customer_folded, new.service_area_folded,
        new.ssid_folded, new.city_folded, new.state_province_folded, new.country_folded);
END;
CREATE TRIGGER idx_devices_text_delete AFTER DELETE ON idx_devices BEGIN
    DELETE FROM idx_devices_text WHERE rowid = old.id;
END;
CREATE TRIGGER idx_devices_text_update AFTER UPDATE ON idx_devices
WHEN (old.dsn_folded, old.serial_number_folded, old.customer_folded, old.service_area_folded,
        old.ssid_folded, old.city_folded, old.state_province_folded, old.country_folded)
    <> (new.dsn_folded, new.serial_number_folded, new.customer_folded, new.service_area_folded,
        new.ssid_folded, new.city_folded, new.state_province_folded, new.country_folded)
BEGIN
    DELETE FROM idx_devices_text WHERE rowid = old.id;
    INSERT INTO idx_devices_text (rowid, dsn_folded, serial_number_folded, customer_folded, service_area_folded,
        ssid_folded, city_folded, state_province_folded, country_folded)
    VALUES (new.id, new.dsn_folded, new.serial_number_folded, new.customer_folded, new.service_area_folded,
        new.ssid_folded, new.city_folded, new.state_province_folded, new.country_folded);
END;
