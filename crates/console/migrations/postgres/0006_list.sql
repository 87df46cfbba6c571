-- What it takes to answer lists of a million devices as fast as lists of ten thousand (docs/adr/0007). The index begins anew:
-- the next pass fills it.
DROP TABLE idx_devices;
DROP TABLE idx_device_state;

CREATE TABLE idx_devices (
    -- SQLite's full-text index knows rows by this number.
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    dsn TEXT COLLATE "C" NOT NULL UNIQUE,
    -- The cloud's key of the device.
    key BIGINT NOT NULL,
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
    -- In one case, to filter and to sort by (A-37, A-38). Folded before they come here: SQLite would fold ASCII only.
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
    dsn TEXT COLLATE "C" PRIMARY KEY,
    -- As in idx_devices, which never changes without this row.
    csp TEXT COLLATE "C" NOT NULL,
    system_configuration TEXT COLLATE "C" NOT NULL,
    connection_status TEXT COLLATE "C" NOT NULL,
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
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX idx_device_state_connection_status ON idx_device_state (connection_status, dsn);
CREATE INDEX idx_device_state_csp_connection_status ON idx_device_state (csp, connection_status, dsn);
CREATE INDEX idx_device_state_connected_at ON idx_device_state (connected_at, dsn);
CREATE INDEX idx_device_state_csp_connected_at ON idx_device_state (csp, connected_at, dsn);
-- Of a rare kind of device, all.
CREATE INDEX idx_device_state_kind ON idx_device_state (system_configuration, connection_status);
CREATE INDEX idx_device_state_csp_kind ON idx_device_state (csp, system_configuration, connection_status);

-- How many devices there are of each kind, so that totals need no counting. Kept by triggers on idx_device_state.
CREATE TABLE idx_device_counts (
    csp TEXT COLLATE "C" NOT NULL,
    system_configuration TEXT COLLATE "C" NOT NULL,
    connection_status TEXT COLLATE "C" NOT NULL,
    n BIGINT NOT NULL,
    PRIMARY KEY (csp, system_configuration, connection_status)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- SQLite has one writer at a time. So have these counts, in every statement that changes them and before it takes its rows:
-- two transactions that met at two counts in opposite order would wait for each other.
CREATE FUNCTION idx_device_counts_lock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    LOCK TABLE idx_device_counts IN SHARE ROW EXCLUSIVE MODE;
    RETURN NULL;
END $$;
CREATE FUNCTION idx_device_counts_insert() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO idx_device_counts AS counts (csp, system_configuration, connection_status, n)
    SELECT csp, system_configuration, connection_status, count(*) FROM new_rows GROUP BY 1, 2, 3
    ON CONFLICT (csp, system_configuration, connection_status) DO UPDATE SET n = counts.n + excluded.n;
    RETURN NULL;
END $$;
CREATE FUNCTION idx_device_counts_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO idx_device_counts AS counts (csp, system_configuration, connection_status, n)
    SELECT csp, system_configuration, connection_status, -count(*) FROM old_rows GROUP BY 1, 2, 3
    ON CONFLICT (csp, system_configuration, connection_status) DO UPDATE SET n = counts.n + excluded.n;
    RETURN NULL;
END $$;
CREATE FUNCTION idx_device_counts_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO idx_device_counts AS counts (csp, system_configuration, connection_status, n)
    SELECT csp, system_configuration, connection_status, sum(change)
    FROM (
        SELECT csp, system_configuration, connection_status, -1 AS change FROM old_rows
        UNION ALL SELECT csp, system_configuration, connection_status, 1 FROM new_rows
    ) AS changes
    GROUP BY 1, 2, 3 HAVING sum(change) <> 0
    ON CONFLICT (csp, system_configuration, connection_status) DO UPDATE SET n = counts.n + excluded.n;
    RETURN NULL;
END $$;
CREATE TRIGGER idx_device_counts_lock
    BEFORE INSERT OR DELETE OR UPDATE OF csp, system_configuration, connection_status ON idx_device_state
    FOR EACH STATEMENT EXECUTE FUNCTION idx_device_counts_lock();
CREATE TRIGGER idx_device_counts_insert AFTER INSERT ON idx_device_state
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION idx_device_counts_insert();
CREATE TRIGGER idx_device_counts_delete AFTER DELETE ON idx_device_state
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION idx_device_counts_delete();
CREATE TRIGGER idx_device_counts_update AFTER UPDATE ON idx_device_state
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION idx_device_counts_update();

-- Which devices have three characters or more somewhere in a text. A trusted extension: no superuser is needed.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
CREATE INDEX idx_devices_text ON idx_devices USING gin (
    dsn_folded gin_trgm_ops, serial_number_folded gin_trgm_ops,
    customer_folded gin_trgm_ops, service_area_folded gin_trgm_ops,
    ssid_folded gin_trgm_ops, city_folded gin_trgm_ops,
    state_province_folded gin_trgm_ops, country_folded gin_trgm_ops
);
