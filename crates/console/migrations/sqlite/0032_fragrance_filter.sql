-- Filters devices by fragrance. The next pass fills the column.
ALTER TABLE idx_devices ADD COLUMN fragrance_folded TEXT NOT NULL DEFAULT '';
CREATE INDEX idx_devices_fragrance_folded ON idx_devices (fragrance_folded, dsn);
CREATE INDEX idx_devices_csp_fragrance_folded ON idx_devices (csp, fragrance_folded, dsn);

-- As before, with the fragrance.
DROP VIEW idx_device_values;
CREATE VIEW idx_device_values (dsn, name, value) AS
SELECT dsn, name, CASE name
    WHEN 'system_configuration' THEN system_configuration
    WHEN 'customer_folded' THEN customer_folded
    WHEN 'service_area_folded' THEN service_area_folded
    WHEN 'fragrance_folded' THEN fragrance_folded
    WHEN 'ssid_folded' THEN ssid_folded
    WHEN 'city_folded' THEN city_folded
    WHEN 'state_province_folded' THEN state_province_folded
    WHEN 'country_folded' THEN country_folded
END
FROM idx_devices CROSS JOIN (
    SELECT 'system_configuration' AS name
    UNION ALL SELECT 'customer_folded'
    UNION ALL SELECT 'service_area_folded'
    UNION ALL SELECT 'fragrance_folded'
    UNION ALL SELECT 'ssid_folded'
    UNION ALL SELECT 'city_folded'
    UNION ALL SELECT 'state_province_folded'
    UNION ALL SELECT 'country_folded'
);
DROP TRIGGER idx_value_counts_update;
CREATE TRIGGER idx_value_counts_update AFTER UPDATE ON idx_devices
WHEN (old.system_configuration, old.customer_folded, old.service_area_folded, old.fragrance_folded, old.ssid_folded,
        old.city_folded, old.state_province_folded, old.country_folded)
    <> (new.system_configuration, new.customer_folded, new.service_area_folded, new.fragrance_folded, new.ssid_folded,
        new.city_folded, new.state_province_folded, new.country_folded)
BEGIN
    INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
    SELECT scope, v.name, v.value, v.change * online, v.change * offline, v.change * never_connected
    FROM idx_device_scopes AS s CROSS JOIN (
        SELECT name, iif(change < 0, before, after) AS value, change
        FROM (
            SELECT 'system_configuration' AS name, old.system_configuration AS before, new.system_configuration AS after
            UNION ALL SELECT 'customer_folded', old.customer_folded, new.customer_folded
            UNION ALL SELECT 'service_area_folded', old.service_area_folded, new.service_area_folded
            UNION ALL SELECT 'fragrance_folded', old.fragrance_folded, new.fragrance_folded
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

-- No device has a folded fragrance yet.
INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
SELECT scope, 'fragrance_folded', '', sum(online), sum(offline), sum(never_connected)
FROM idx_value_counts WHERE name = 'system_configuration' GROUP BY scope;
UPDATE idx_sync SET wanted = wanted + 1;
