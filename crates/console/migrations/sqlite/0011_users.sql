-- The index of people: what their list needs of the cloud's users. Thousands, not millions: a filter may look at every row.
-- Missing texts are empty and missing times 0, so that both databases sort them alike: first.
CREATE TABLE idx_users (
    -- UUID.
    id TEXT PRIMARY KEY,
    email TEXT NOT NULL,
    firstname TEXT NOT NULL,
    lastname TEXT NOT NULL,
    company TEXT NOT NULL,
    business_role TEXT NOT NULL,
    phone TEXT NOT NULL,
    city TEXT NOT NULL,
    state TEXT NOT NULL,
    country TEXT NOT NULL,
    confirmed BOOLEAN NOT NULL,
    -- The effective role by its name in the cloud, and the CSP that it is bound to.
    role TEXT NOT NULL,
    csp TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    -- In one case, to filter and to sort by (A-37, A-38). Folded before they come here: SQLite would fold ASCII only.
    email_folded TEXT NOT NULL,
    firstname_folded TEXT NOT NULL,
    lastname_folded TEXT NOT NULL,
    company_folded TEXT NOT NULL,
    business_role_folded TEXT NOT NULL,
    phone_folded TEXT NOT NULL,
    -- No read that began before this may overwrite the person.
    synced_at BIGINT NOT NULL
);
-- The order that a list has until another one is asked for, for everybody and for one CSP; by CSP they are counted, too.
CREATE INDEX idx_users_created_at ON idx_users (created_at, id);
CREATE INDEX idx_users_csp_created_at ON idx_users (csp, created_at, id);

-- Nobody who came before is missing from the index of people; NULL until the first pass over them is complete.
ALTER TABLE idx_sync ADD COLUMN users_as_of BIGINT;
