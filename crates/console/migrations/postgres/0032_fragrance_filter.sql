-- Filters devices by fragrance. The next pass fills the column.
-- Keeps writers out, which lock the tables in this order.
LOCK TABLE idx_device_state, idx_devices IN SHARE ROW EXCLUSIVE MODE;
ALTER TABLE idx_devices ADD COLUMN fragrance_folded TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX idx_devices_fragrance_folded ON idx_devices (fragrance_folded, dsn);
CREATE INDEX idx_devices_csp_fragrance_folded ON idx_devices (csp, fragrance_folded, dsn);

-- As before, with the fragrance.
CREATE OR REPLACE VIEW idx_device_values (dsn, name, value) AS
SELECT dsn, v.name, v.value FROM idx_devices CROSS JOIN LATERAL (VALUES
    ('system_configuration', system_configuration),
    ('customer_folded', customer_folded),
    ('service_area_folded', service_area_folded),
    ('fragrance_folded', fragrance_folded),
    ('ssid_folded', ssid_folded),
    ('city_folded', city_folded),
    ('state_province_folded', state_province_folded),
    ('country_folded', country_folded)
) AS v (name, value);
CREATE OR REPLACE FUNCTION idx_value_counts_update() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO idx_value_counts AS counts (scope, name, value, online, offline, never_connected)
    SELECT scope, name, value, sum(change * (connection_status = 'Online')::int),
        sum(change * (connection_status = 'Offline')::int), sum(change * (connection_status = 'NeverConnected')::int)
    FROM (
        SELECT -1 AS change, old_rows.* FROM old_rows UNION ALL SELECT 1, new_rows.* FROM new_rows
    ) AS d JOIN idx_device_state AS s USING (dsn)
    CROSS JOIN LATERAL (VALUES
        ('system_configuration', d.system_configuration),
        ('customer_folded', d.customer_folded),
        ('service_area_folded', d.service_area_folded),
        ('fragrance_folded', d.fragrance_folded),
        ('ssid_folded', d.ssid_folded),
        ('city_folded', d.city_folded),
        ('state_province_folded', d.state_province_folded),
        ('country_folded', d.country_folded)
    ) AS v (name, value)
    CROSS JOIN LATERAL (VALUES ('*'), ('=' || s.csp)) AS scopes (scope)
    GROUP BY 1, 2, 3
    HAVING (sum(change * (connection_status = 'Online')::int), sum(change * (connection_status = 'Offline')::int),
        sum(change * (connection_status = 'NeverConnected')::int)) <> (0, 0, 0)
    ON CONFLICT (scope, name, value) DO UPDATE SET online = counts.online + excluded.online,
        offline = counts.offline + excluded.offline, never_connected = counts.never_connected + excluded.never_connected;
    RETURN NULL;
END $$;

-- No device has a folded fragrance yet.
INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
SELECT scope, 'fragrance_folded', '', sum(online), sum(offline), sum(never_connected)
FROM idx_value_counts WHERE name = 'system_configuration' GROUP BY scope;
UPDATE idx_sync SET wanted = wanted + 1;
