-- The roles whose people need a second factor.
CREATE TABLE second_factor_roles (
    role TEXT NOT NULL PRIMARY KEY
);
