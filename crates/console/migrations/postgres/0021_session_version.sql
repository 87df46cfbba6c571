-- One row: a number that grows whenever the access of a session changes or a session ends. Event streams compare it instead of
-- reading their session before each event.
CREATE TABLE session_version (version BIGINT NOT NULL);
INSERT INTO session_version (version) VALUES (1);
