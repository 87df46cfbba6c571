-- The claim of a message or an event begins with the id of its node, so that the claims of a dead node are found and released.
create index ix_outbox_claim on outbox (claim) where claim is not null;
create index ix_rule_event_claim on rule_event (claim) where claim is not null;
