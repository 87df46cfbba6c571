-- The fragrance catalogue. The import brings rows in by name and removes none (A-76).
CREATE TABLE fragrances (
    name TEXT COLLATE "C" PRIMARY KEY,
    sku TEXT NOT NULL,
    -- In grams per millilitre.
    density DOUBLE PRECISION NOT NULL,
    -- In grams per hour of running, by system configuration; NULL where the fragrance is not made for it.
    aq200w500 DOUBLE PRECISION,
    aq300w500 DOUBLE PRECISION,
    aq500w500 DOUBLE PRECISION,
    aq800w1250 DOUBLE PRECISION,
    aq800w2500 DOUBLE PRECISION,
    aq1200w1250 DOUBLE PRECISION,
    aq1200w2500 DOUBLE PRECISION
);
