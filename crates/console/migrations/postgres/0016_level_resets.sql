-- The newest reset of the fragrance level of each device, and what undoing it writes back.
CREATE TABLE level_resets (
    dsn TEXT COLLATE "C" PRIMARY KEY,
    -- A UUID (version 7) of the instant of the reset.
    id TEXT NOT NULL,
    -- Before the reset: hours, and percent.
    cartridge_life DOUBLE PRECISION NOT NULL,
    fragrance_remaining BIGINT NOT NULL,
    -- The datapoints that the reset wrote, by the cloud's ids. NULL while it is under way, or when the cloud shows none.
    cartridge_life_command TEXT,
    fragrance_remaining_command TEXT,
    undo_until BIGINT NOT NULL,
    undone_at BIGINT
);
CREATE INDEX level_resets_until ON level_resets (undo_until);
