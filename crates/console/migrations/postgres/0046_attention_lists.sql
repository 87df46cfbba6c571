-- Lists of one kind, and the number of new items in the menu.
CREATE INDEX attention_items_kind ON attention_items (kind, severity, id) WHERE closed_at IS NULL;
CREATE INDEX attention_items_new ON attention_items (severity, snoozed_until, dsn, csp)
    WHERE closed_at IS NULL AND acknowledged_at IS NULL;
