-- A statement that changes no count must not touch idx_device_counts: it would wait for whoever holds the counts while it holds
-- rows that the other may be waiting for. One that changes counts has held them since before it took its rows.
CREATE OR REPLACE FUNCTION idx_device_counts_update() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (
        SELECT FROM old_rows JOIN new_rows USING (dsn)
        WHERE (old_rows.csp, old_rows.system_configuration, old_rows.connection_status)
            <> (new_rows.csp, new_rows.system_configuration, new_rows.connection_status)
    ) THEN
        RETURN NULL;
    END IF;
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
