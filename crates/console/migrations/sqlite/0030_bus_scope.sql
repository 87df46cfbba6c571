-- The random name of this installation on a bus that others may share: one row with the id 1.
CREATE TABLE bus_scope (
    id BIGINT NOT NULL PRIMARY KEY,
    scope TEXT NOT NULL
);
