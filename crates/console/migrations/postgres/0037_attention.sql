-- What the rules of attention need of a device beside the index, and when to look at it next. Filled again after a loss.
CREATE TABLE attention_devices (
    dsn TEXT PRIMARY KEY,
    -- JSON.
    memory TEXT NOT NULL,
    due_at BIGINT NOT NULL
);
CREATE INDEX attention_devices_due ON attention_devices (due_at, dsn);

-- What needs attention (F-06). Whoever may see the device may see its items.
CREATE TABLE attention_items (
    -- A UUIDv7.
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    -- From 1, the least urgent.
    severity BIGINT NOT NULL,
    -- Empty for an item about a CSP.
    dsn TEXT NOT NULL,
    -- Empty for an item about a device, whose CSP is in the index.
    csp TEXT NOT NULL,
    since BIGINT NOT NULL,
    opened_at BIGINT NOT NULL,
    closed_at BIGINT,
    -- How often it opened.
    occurrences BIGINT NOT NULL,
    cause TEXT NOT NULL,
    -- JSON.
    evidence TEXT NOT NULL,
    -- When somebody acknowledged it, and who.
    acknowledged_at BIGINT,
    acknowledged_by TEXT,
    assignee TEXT,
    snoozed_until BIGINT
);
CREATE UNIQUE INDEX attention_items_open ON attention_items (dsn, csp, kind) WHERE closed_at IS NULL;
CREATE INDEX attention_items_list ON attention_items (severity, id) WHERE closed_at IS NULL;
CREATE INDEX attention_items_closed ON attention_items (closed_at, id) WHERE closed_at IS NOT NULL;
CREATE INDEX attention_items_dsn ON attention_items (dsn, closed_at);

CREATE TABLE attention_comments (
    -- A UUIDv7.
    id TEXT PRIMARY KEY,
    item_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    text TEXT NOT NULL
);
CREATE INDEX attention_comments_item ON attention_comments (item_id, id);

-- The thresholds of CSPs that have changed them; an empty name stands for the devices without a CSP.
CREATE TABLE attention_settings (
    csp TEXT PRIMARY KEY,
    -- JSON.
    settings TEXT NOT NULL
);
