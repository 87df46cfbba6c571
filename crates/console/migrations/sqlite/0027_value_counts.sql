-- The number of devices with each value of the columns with few distinct values (COUNTED in columns.rs), by connection status.
-- Text filters look for their text among these values first, and totals are sums. Maintained by triggers. Replaces
-- idx_device_counts, which only earlier versions read.
CREATE TABLE idx_value_counts (
    -- `*` for the whole fleet, `=` and its name for a CSP.
    scope TEXT NOT NULL,
    -- A column of idx_devices.
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    online BIGINT NOT NULL,
    offline BIGINT NOT NULL,
    never_connected BIGINT NOT NULL,
    PRIMARY KEY (scope, name, value)
) WITHOUT ROWID;

-- A value that no device has any more is removed.
CREATE TRIGGER idx_value_counts_unused AFTER UPDATE ON idx_value_counts
WHEN new.online = 0 AND new.offline = 0 AND new.never_connected = 0 BEGIN
    DELETE FROM idx_value_counts WHERE (scope, name, value) = (new.scope, new.name, new.value);
END;

-- The counted values of each device. The row is read once for all of them.
CREATE VIEW idx_device_values (dsn, name, value) AS
SELECT dsn, name, CASE name
    WHEN 'system_configuration' THEN system_configuration
    WHEN 'customer_folded' THEN customer_folded
    WHEN 'service_area_folded' THEN service_area_folded
    WHEN 'ssid_folded' THEN ssid_folded
    WHEN 'city_folded' THEN city_folded
    WHEN 'state_province_folded' THEN state_province_folded
    WHEN 'country_folded' THEN country_folded
END
FROM idx_devices CROSS JOIN (
    SELECT 'system_configuration' AS name
    UNION ALL SELECT 'customer_folded'
    UNION ALL SELECT 'service_area_folded'
    UNION ALL SELECT 'ssid_folded'
    UNION ALL SELECT 'city_folded'
    UNION ALL SELECT 'state_province_folded'
    UNION ALL SELECT 'country_folded'
);

-- The scopes and the status in which each device is counted.
CREATE VIEW idx_device_scopes (dsn, scope, online, offline, never_connected) AS
SELECT dsn, '*', connection_status = 'Online', connection_status = 'Offline', connection_status = 'NeverConnected'
FROM idx_device_state
UNION ALL
SELECT dsn, '=' || csp, connection_status = 'Online', connection_status = 'Offline', connection_status = 'NeverConnected'
FROM idx_device_state;

INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
SELECT '=' || csp, name, value, SUM(connection_status = 'Online'), SUM(connection_status = 'Offline'),
    SUM(connection_status = 'NeverConnected')
FROM idx_device_state JOIN idx_device_values USING (dsn) GROUP BY 1, 2, 3;
INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
SELECT '*', name, value, SUM(online), SUM(offline), SUM(never_connected) FROM idx_value_counts GROUP BY name, value;

-- A device is counted while it has a row in both tables. Its state is inserted, and deleted, before its other values.
CREATE TRIGGER idx_value_counts_insert AFTER INSERT ON idx_devices BEGIN
    INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
    SELECT scope, name, value, online, offline, never_connected
    FROM idx_device_scopes AS s CROSS JOIN idx_device_values AS v WHERE s.dsn = new.dsn AND v.dsn = new.dsn
    ON CONFLICT DO UPDATE SET online = online + excluded.online, offline = offline + excluded.offline,
        never_connected = never_connected + excluded.never_connected;
END;
CREATE TRIGGER idx_value_counts_update AFTER UPDATE ON idx_devices
WHEN (old.system_configuration, old.customer_folded, old.service_area_folded, old.ssid_folded, old.city_folded,
        old.state_province_folded, old.country_folded)
    <> (new.system_configuration, new.customer_folded, new.service_area_folded, new.ssid_folded, new.city_folded,
        new.state_province_folded, new.country_folded)
BEGIN
    INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
    SELECT scope, v.name, v.value, v.change * online, v.change * offline, v.change * never_connected
    FROM idx_device_scopes AS s CROSS JOIN (
        SELECT name, iif(change < 0, before, after) AS value, change
        FROM (
            SELECT 'system_configuration' AS name, old.system_configuration AS before, new.system_configuration AS after
            UNION ALL SELECT 'customer_folded', old.customer_folded, new.customer_folded
            UNION ALL SELECT 'service_area_folded', old.service_area_folded, new.service_area_folded
            UNION ALL SELECT 'ssid_folded', old.ssid_folded, new.ssid_folded
            UNION ALL SELECT 'city_folded', old.city_folded, new.city_folded
            UNION ALL SELECT 'state_province_folded', old.state_province_folded, new.state_province_folded
            UNION ALL SELECT 'country_folded', old.country_folded, new.country_folded
        ) CROSS JOIN (SELECT -1 AS change UNION ALL SELECT 1)
        WHERE before <> after
    ) AS v
    WHERE s.dsn = new.dsn
    ON CONFLICT DO UPDATE SET online = online + excluded.online, offline = offline + excluded.offline,
        never_connected = never_connected + excluded.never_connected;
END;
CREATE TRIGGER idx_value_counts_state_update AFTER UPDATE OF csp, connection_status ON idx_device_state
WHEN (old.csp, old.connection_status) <> (new.csp, new.connection_status) BEGIN
    INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
    SELECT scope, name, value, online, offline, never_connected
    FROM (
        SELECT scope, SUM(change * (status = 'Online')) AS online, SUM(change * (status = 'Offline')) AS offline,
            SUM(change * (status = 'NeverConnected')) AS never_connected
        FROM (
            SELECT '*' AS scope, old.connection_status AS status, -1 AS change
            UNION ALL SELECT '=' || old.csp, old.connection_status, -1
            UNION ALL SELECT '*', new.connection_status, 1
            UNION ALL SELECT '=' || new.csp, new.connection_status, 1
        )
        GROUP BY 1
    ) AS s CROSS JOIN idx_device_values AS v
    WHERE v.dsn = new.dsn AND (s.online, s.offline, s.never_connected) <> (0, 0, 0)
    ON CONFLICT DO UPDATE SET online = online + excluded.online, offline = offline + excluded.offline,
        never_connected = never_connected + excluded.never_connected;
END;
CREATE TRIGGER idx_value_counts_state_delete BEFORE DELETE ON idx_device_state BEGIN
    INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
    SELECT scope, name, value, -online, -offline, -never_connected
    FROM idx_device_scopes AS s CROSS JOIN idx_device_values AS v WHERE s.dsn = old.dsn AND v.dsn = old.dsn
    ON CONFLICT DO UPDATE SET online = online + excluded.online, offline = offline + excluded.offline,
        never_connected = never_connected + excluded.never_connected;
END;
