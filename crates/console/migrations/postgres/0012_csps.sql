-- CSPs are added, renamed and removed by people now, who must not give a name twice in another case (A-74). All that are here
-- came from the cloud's labels: the next pass adopts them again.
DROP TABLE csps;

CREATE TABLE csps (
    -- A UUID.
    id TEXT PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL UNIQUE,
    -- In one case. Folded before it comes here: SQLite would fold ASCII only.
    name_folded TEXT COLLATE "C" NOT NULL,
    -- Whether a label of the cloud had the name before anybody gave it here. Labels may differ in case only.
    adopted BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE UNIQUE INDEX csps_given ON csps (name_folded) WHERE NOT adopted;
