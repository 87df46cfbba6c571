-- The number of devices with each value of the columns with few distinct values (COUNTED in columns.rs), by connection status.
-- Text filters look for their text among these values first, and totals are sums. Maintained by triggers. Replaces
-- idx_device_counts, which only earlier versions read.
CREATE TABLE idx_value_counts (
    -- `*` for the whole fleet, `=` and its name for a CSP.
    scope TEXT COLLATE "C" NOT NULL,
    -- A column of idx_devices.
    name TEXT COLLATE "C" NOT NULL,
    value TEXT COLLATE "C" NOT NULL,
    online BIGINT NOT NULL,
    offline BIGINT NOT NULL,
    never_connected BIGINT NOT NULL,
    PRIMARY KEY (scope, name, value)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- The counted values of each device.
CREATE VIEW idx_device_values (dsn, name, value) AS
SELECT dsn, v.name, v.value FROM idx_devices CROSS JOIN LATERAL (VALUES
    ('system_configuration', system_configuration),
    ('customer_folded', customer_folded),
    ('service_area_folded', service_area_folded),
    ('ssid_folded', ssid_folded),
    ('city_folded', city_folded),
    ('state_province_folded', state_province_folded),
    ('country_folded', country_folded)
) AS v (name, value);

-- A value that no device has any more is removed.
CREATE FUNCTION idx_value_counts_unused() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM idx_value_counts WHERE (scope, name, value) = (NEW.scope, NEW.name, NEW.value);
    RETURN NULL;
END $$;
CREATE TRIGGER idx_value_counts_unused AFTER UPDATE ON idx_value_counts FOR EACH ROW
    WHEN (NEW.online = 0 AND NEW.offline = 0 AND NEW.never_connected = 0) EXECUTE FUNCTION idx_value_counts_unused();

-- A device is counted while it has a row in both tables. Its state is inserted, and deleted, before its other values.
-- The settings make all plans use the keys: a cached plan stays while the tables grow.
CREATE FUNCTION idx_value_counts_insert() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO idx_value_counts AS counts (scope, name, value, online, offline, never_connected)
    SELECT scope, name, value, sum(change * (connection_status = 'Online')::int),
        sum(change * (connection_status = 'Offline')::int), sum(change * (connection_status = 'NeverConnected')::int)
    FROM (SELECT dsn, 1 AS change FROM new_rows) AS d
    JOIN idx_device_values USING (dsn) JOIN idx_device_state AS s USING (dsn)
    CROSS JOIN LATERAL (VALUES ('*'), ('=' || s.csp)) AS scopes (scope)
    GROUP BY 1, 2, 3
    HAVING (sum(change * (connection_status = 'Online')::int), sum(change * (connection_status = 'Offline')::int),
        sum(change * (connection_status = 'NeverConnected')::int)) <> (0, 0, 0)
    ON CONFLICT (scope, name, value) DO UPDATE SET online = counts.online + excluded.online,
        offline = counts.offline + excluded.offline, never_connected = counts.never_connected + excluded.never_connected;
    RETURN NULL;
END $$;
CREATE FUNCTION idx_value_counts_update() RETURNS trigger LANGUAGE plpgsql
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
CREATE FUNCTION idx_value_counts_state_update() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO idx_value_counts AS counts (scope, name, value, online, offline, never_connected)
    SELECT scope, name, value, sum(change * (connection_status = 'Online')::int),
        sum(change * (connection_status = 'Offline')::int), sum(change * (connection_status = 'NeverConnected')::int)
    FROM (
        SELECT dsn, csp, connection_status, sum(change) AS change
        FROM (
            SELECT dsn, csp, connection_status, -1 AS change FROM old_rows
            UNION ALL SELECT dsn, csp, connection_status, 1 FROM new_rows
        ) AS states
        GROUP BY 1, 2, 3 HAVING sum(change) <> 0
    ) AS s JOIN idx_device_values USING (dsn)
    CROSS JOIN LATERAL (VALUES ('*'), ('=' || s.csp)) AS scopes (scope)
    GROUP BY 1, 2, 3
    HAVING (sum(change * (connection_status = 'Online')::int), sum(change * (connection_status = 'Offline')::int),
        sum(change * (connection_status = 'NeverConnected')::int)) <> (0, 0, 0)
    ON CONFLICT (scope, name, value) DO UPDATE SET online = counts.online + excluded.online,
        offline = counts.offline + excluded.offline, never_connected = counts.never_connected + excluded.never_connected;
    RETURN NULL;
END $$;
CREATE FUNCTION idx_value_counts_state_delete() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO idx_value_counts AS counts (scope, name, value, online, offline, never_connected)
    SELECT scope, name, value, sum(change * (connection_status = 'Online')::int),
        sum(change * (connection_status = 'Offline')::int), sum(change * (connection_status = 'NeverConnected')::int)
    FROM (SELECT dsn, csp, connection_status, -1 AS change FROM old_rows) AS s JOIN idx_device_values USING (dsn)
    CROSS JOIN LATERAL (VALUES ('*'), ('=' || s.csp)) AS scopes (scope)
    GROUP BY 1, 2, 3
    HAVING (sum(change * (connection_status = 'Online')::int), sum(change * (connection_status = 'Offline')::int),
        sum(change * (connection_status = 'NeverConnected')::int)) <> (0, 0, 0)
    ON CONFLICT (scope, name, value) DO UPDATE SET online = counts.online + excluded.online,
        offline = counts.offline + excluded.offline, never_connected = counts.never_connected + excluded.never_connected;
    RETURN NULL;
END $$;

-- Writers take turns, as before: each statement locks idx_device_counts before its rows.
CREATE TRIGGER idx_value_counts_lock BEFORE INSERT OR DELETE OR UPDATE ON idx_devices
    FOR EACH STATEMENT EXECUTE FUNCTION idx_device_counts_lock();
CREATE TRIGGER idx_value_counts_insert AFTER INSERT ON idx_devices
    REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION idx_value_counts_insert();
CREATE TRIGGER idx_value_counts_update AFTER UPDATE ON idx_devices
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION idx_value_counts_update();
CREATE TRIGGER idx_value_counts_state_update AFTER UPDATE ON idx_device_state
    REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
    FOR EACH STATEMENT EXECUTE FUNCTION idx_value_counts_state_update();
CREATE TRIGGER idx_value_counts_state_delete AFTER DELETE ON idx_device_state
    REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION idx_value_counts_state_delete();

-- The triggers keep other writers out until this transaction ends.
INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
SELECT '=' || csp, name, value, count(*) FILTER (WHERE connection_status = 'Online'),
    count(*) FILTER (WHERE connection_status = 'Offline'), count(*) FILTER (WHERE connection_status = 'NeverConnected')
FROM idx_device_state JOIN idx_device_values USING (dsn) GROUP BY 1, 2, 3;
INSERT INTO idx_value_counts (scope, name, value, online, offline, never_connected)
SELECT '*', name, value, sum(online), sum(offline), sum(never_connected) FROM idx_value_counts GROUP BY name, value;
