-- When cartridges run dry (F-03): the use of the last 56 days and the forecast that follows from it, beside the index.
CREATE TABLE idx_forecasts (
    dsn TEXT PRIMARY KEY,
    -- In the fixed form of diffuser's DailyUse.
    daily_use BYTEA NOT NULL,
    -- Whether daily_use has been filled from the cloud's history.
    is_filled BOOLEAN NOT NULL,
    -- The running time that mode and schedule give, since when, and the share of it that was used before.
    running_plan TEXT NOT NULL,
    plan_since BIGINT,
    usual_share DOUBLE PRECISION,
    -- The share of the present forecast.
    share DOUBLE PRECISION,
    -- When the cartridge is empty; NULL without a forecast, and latest if it is too far ahead.
    earliest BIGINT,
    median BIGINT,
    latest BIGINT
);

-- The median, for sorting: devices without a forecast come last in both directions.
ALTER TABLE idx_device_state ADD COLUMN runs_dry_rising BIGINT NOT NULL DEFAULT 9223372036854775807;
ALTER TABLE idx_device_state ADD COLUMN runs_dry_falling BIGINT NOT NULL DEFAULT -1;

CREATE INDEX idx_device_state_runs_dry_rising ON idx_device_state (runs_dry_rising, dsn);
CREATE INDEX idx_device_state_csp_runs_dry_rising ON idx_device_state (csp, runs_dry_rising, dsn);
CREATE INDEX idx_device_state_runs_dry_falling ON idx_device_state (runs_dry_falling, dsn);
CREATE INDEX idx_device_state_csp_runs_dry_falling ON idx_device_state (csp, runs_dry_falling, dsn);
