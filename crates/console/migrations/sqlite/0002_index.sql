-- The index: what lists need of the cloud's devices. Every idx_ table may be dropped at any time and is filled again.
-- Missing texts are empty and missing times 0, so that both databases sort them alike: first.
CREATE TABLE idx_devices (
    dsn TEXT PRIMARY KEY,
    -- Lower case, for the filter: SQLite would fold ASCII only.
    dsn_folded TEXT NOT NULL,
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
    created_at BIGINT NOT NULL
);
CREATE INDEX idx_devices_created_at ON idx_devices (created_at, dsn);
CREATE INDEX idx_devices_csp ON idx_devices (csp, created_at, dsn);

-- What changes all the time, narrow: PostgreSQL writes the whole row and its index entries anew at every update.
CREATE TABLE idx_device_state (
    dsn TEXT PRIMARY KEY,
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
    -- The full pass that saw the device last.
    generation BIGINT NOT NULL
);


-- One row: the passes.
CREATE TABLE idx_sync (
    id BIGINT PRIMARY KEY,
    generation BIGINT NOT NULL,
    -- Nothing that happened before is missing from the index; NULL until the first pass is complete.
    as_of BIGINT
);
INSERT INTO idx_sync (id, generation, as_of) VALUES (1, 0, NULL);
