-- Sums over groups of devices for charts over time (docs/fleet.md), written by the node with the lease of the passes. They cannot
-- be read again from the cloud, so that a new index keeps them.
CREATE TABLE fleet_days (
    -- all, customer or fragrance.
    dimension TEXT COLLATE "C" NOT NULL,
    -- The customer or the fragrance; empty for devices without one, and for all.
    value TEXT COLLATE "C" NOT NULL,
    csp TEXT COLLATE "C" NOT NULL,
    -- When the day of UTC begins.
    day BIGINT NOT NULL,
    -- As of the last sample of the day; NULL without one. Devices without a known level are in no level.
    devices BIGINT,
    level_empty BIGINT,
    level_low BIGINT,
    level_medium BIGINT,
    level_high BIGINT,
    refills BIGINT NOT NULL,
    used_ml DOUBLE PRECISION NOT NULL,
    -- Devices whose use is known.
    used_devices BIGINT NOT NULL,
    -- Devices online at the beginning of each hour; NULL if it is unknown.
    online_00 BIGINT,
    online_01 BIGINT,
    online_02 BIGINT,
    online_03 BIGINT,
    online_04 BIGINT,
    online_05 BIGINT,
    online_06 BIGINT,
    online_07 BIGINT,
    online_08 BIGINT,
    online_09 BIGINT,
    online_10 BIGINT,
    online_11 BIGINT,
    online_12 BIGINT,
    online_13 BIGINT,
    online_14 BIGINT,
    online_15 BIGINT,
    online_16 BIGINT,
    online_17 BIGINT,
    online_18 BIGINT,
    online_19 BIGINT,
    online_20 BIGINT,
    online_21 BIGINT,
    online_22 BIGINT,
    online_23 BIGINT,
    PRIMARY KEY (dimension, value, csp, day)
) WITH (fillfactor = 70);
CREATE INDEX fleet_days_day ON fleet_days (day, dimension, csp, value);

-- One row: the hours of the first and of the last sample.
CREATE TABLE fleet_samples (
    id BIGINT PRIMARY KEY,
    first_at BIGINT NOT NULL,
    last_at BIGINT NOT NULL
);

-- What each device has added to the sums, so that nothing is added twice.
CREATE TABLE fleet_counted (
    dsn TEXT COLLATE "C" PRIMARY KEY,
    -- The use of earlier days has been added.
    used_until BIGINT NOT NULL,
    -- Refills up to this time have been added.
    refills_until BIGINT NOT NULL
);
CREATE INDEX fleet_counted_refills_until ON fleet_counted (refills_until);

-- Devices whose history is still to be read.
CREATE INDEX idx_forecasts_unfilled ON idx_forecasts (dsn) WHERE NOT is_filled;
