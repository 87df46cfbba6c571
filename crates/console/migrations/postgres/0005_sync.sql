-- A pass compares instead of stamping, and any node may ask for one (docs/adr/0006).

-- One row: the passes.
DROP TABLE idx_sync;
CREATE TABLE idx_sync (
    id BIGINT PRIMARY KEY,
    -- How many passes were asked for, on any node …
    wanted BIGINT NOT NULL,
    -- … and how many of these wishes are fulfilled: by a complete pass that began after them.
    served BIGINT NOT NULL,
    -- Nothing that happened before is missing from the index; NULL until the first pass is complete.
    as_of BIGINT
);
INSERT INTO idx_sync (id, wanted, served, as_of) VALUES (1, 0, 0, NULL);

-- Which node does what only one may do at a time (platform::lease).
CREATE TABLE leases (
    name TEXT COLLATE "C" PRIMARY KEY,
    holder TEXT NOT NULL,
    until BIGINT NOT NULL
);
