-- The schema of the console. CONTRIBUTING.md, "How we change the schema", explains the placeholders and the sections for one database.
-- Times are microseconds since 1970 and end in _at, _until or _since; ids of users are the UUIDs of the cloud. Encrypted values consist
-- of a key id, a nonce and the cipher text. Hashes are SHA-256 in hex.

-- # Sessions and preferences

-- A row for each signed-in browser (A-84) and for each access token of a program.
create table sessions (
    -- Of the value of the cookie, or of the access token: a reader of this table cannot sign in with it.
    id_hash text primary key,
    user_id text not null,
    email text not null,
    firstname text not null,
    lastname text not null,
    role text,
    csp text,
    -- When role and CSP were read from the cloud.
    access_read_at bigint not null,
    -- The cloud's tokens, encrypted. Null once the cloud has ended them.
    tokens {bytes},
    -- The node that is renewing the tokens, and until when others must wait: a node that died does not block the session (ADR 8).
    claimed_by text,
    claimed_until bigint,
    -- Of an access token: its name, its rights as a JSON list, and its end. Null for browsers.
    token_name text,
    token_rights text,
    token_expires_at bigint,
    -- Where the session was last used: the client's address, and the browser in a few words.
    address text,
    browser text,
    created_at bigint not null,
    seen_at bigint not null
);
create index sessions_seen_at on sessions (seen_at);
create index sessions_user on sessions (user_id);

-- One row: a number that grows whenever the access of a session changes or a session ends. Event streams compare it instead of reading
-- their session before each event.
create table session_version (
    version bigint not null
);
insert into session_version (version) values (1);

-- One row: a known text, encrypted with the token key, by which a console with another key is recognized.
create table token_key_check (
    id bigint primary key,
    sealed {bytes} not null
);

-- What the console keeps of accounts, which the cloud does not know.
create table account_states (
    user_id text primary key,
    -- When a browser last signed in. Null: never seen.
    last_sign_in_at bigint,
    -- Null: not disabled.
    disabled_at bigint
);

-- How users want to see times and lists. Without a row: the defaults.
create table user_preferences (
    user_id text primary key,
    -- 12hour or 24hour (A-17); null: as the browser's language has it.
    time_format text,
    -- comfortable or compact; null: the default of the list, as for the rows per page.
    density text,
    devices_page_size bigint,
    users_page_size bigint,
    csps_page_size bigint,
    copy_targets_page_size bigint,
    -- What CSV files have between cells (comma, semicolon or tab) and before decimals (point or comma); null: the first of each.
    csv_separator text,
    csv_decimal_sign text,
    -- Whether the user gets a mail about items that somebody assigns to them; null: yes.
    assignment_mails boolean
);

-- Writes of users with an Idempotency-Key, and their responses for repetitions.
create table idempotency_keys (
    user_id text not null,
    key text not null,
    -- The encrypted digest of the request: its body may contain a password.
    request {bytes} not null,
    -- The random name of the handling of the request, and until when its node is considered alive; 0 once it has ended.
    claimed_by text not null,
    claimed_until bigint not null,
    -- The encrypted response. Null while the request is handled.
    response {bytes},
    created_at bigint not null,
    primary key (user_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

-- # Second factors

create table second_factors (
    user_id text not null primary key,
    -- The encrypted secret of the authenticator app. Null without an app.
    totp_secret {bytes},
    -- When the app was added. Null: it is being set up, and its codes are not required.
    totp_added_at bigint,
    -- The time step of the last accepted code: a code is accepted once.
    totp_last_step bigint not null default 0,
    -- The number of codes that were checked since attempts_since, without those before the last right one.
    attempts bigint not null default 0,
    attempts_since bigint not null default 0
);

-- The roles whose users need a second factor.
create table second_factor_roles (
    role text not null primary key
);

-- The recovery codes that are not used yet.
create table recovery_codes (
    user_id text not null,
    code_hash text not null,
    primary key (user_id, code_hash)
);

-- Sign-ins whose password was right and whose second factor is not checked yet. They grant no access.
create table pending_sign_ins (
    id_hash text not null primary key,
    user_id text not null,
    -- The encrypted tokens of the cloud.
    tokens {bytes} not null,
    -- The number of codes that were checked.
    attempts bigint not null default 0,
    expires_at bigint not null
);
create index pending_sign_ins_expires on pending_sign_ins (expires_at);

create table passkeys (
    id text not null primary key,
    user_id text not null,
    name text not null,
    credential_id {bytes} not null,
    -- How the authenticator can be reached, as a bit set.
    transports bigint not null,
    -- The public key.
    static_state {bytes} not null,
    -- Changes with each use: the counter, and whether the passkey is backed up.
    dynamic_state {bytes} not null,
    added_at bigint not null,
    -- Null: never used.
    last_used_at bigint
);
create unique index passkeys_credential on passkeys (credential_id);
create index passkeys_user on passkeys (user_id, added_at);

-- Challenges that await the response of a browser. Each is used once.
create table passkey_ceremonies (
    -- The purpose: the registration of a user, or a sign-in that awaits its second factor.
    id text not null primary key,
    user_id text not null,
    state {bytes} not null,
    expires_at bigint not null
);
create index passkey_ceremonies_user on passkey_ceremonies (user_id, expires_at);
create index passkey_ceremonies_expires on passkey_ceremonies (expires_at);

-- # Audit and mails

-- A row for each change that a user made through the console. Only its end is ever written to it.
create table audit (
    -- A UUID of version 7 of the instant at which the change began: the order of the keys is that of the changes.
    id {text} primary key,
    -- The actor with the role and the CSP of that moment, which do not follow later changes of the user.
    user_id text not null,
    -- In lower case.
    email {text} not null,
    role text,
    actor_csp text,
    address text,
    browser text,
    -- The id of the operation in api/openapi.json.
    operation {text} not null,
    target_kind text not null,
    target_id {text} not null,
    -- The CSP whose administrators may read this. Null: nobody of a CSP.
    target_csp {text},
    -- The job that the change belongs to. Null: none.
    job_id text,
    -- The change that this one follows from: an import of the catalogue changes the levels of devices. Null: none.
    cause_id {text},
    -- JSON: [{"field", "before", "after"}] of what was to change.
    changes text not null,
    -- started, done or failed.
    result text not null,
    -- Of a failure: the code of the problem, and the first field that was not saved.
    code text,
    failed_field text,
    -- Refused sign-ins of one hour, account and network share a row: what they have in common, beginning with the hour, and their
    -- number. Null: the row is one change.
    merge_key {text},
    occurrences bigint not null default 1,
    ended_at bigint
);
create index audit_target on audit (target_id, id);
create index audit_email on audit (email, id);
create index audit_operation on audit (operation, id);
create index audit_csp on audit (target_csp, id);
create index audit_csp_operation on audit (target_csp, operation, id);
create index audit_job on audit (job_id, id) where job_id is not null;
create index audit_cause on audit (cause_id, id) where cause_id is not null;
create unique index audit_merge_key on audit (merge_key);

-- Mails to users that the mail server has not accepted yet.
create table mails (
    id text not null primary key,
    recipient text not null,
    subject text not null,
    body text not null,
    created_at bigint not null,
    attempts bigint not null default 0,
    -- When the next attempt is due.
    due_at bigint not null
);
create index mails_due on mails (due_at);

-- # Jobs and level resets

-- Long work over many devices (A-82).
create table jobs (
    -- A UUID of version 7 of the instant at which the job was started: the order of the keys is that of the jobs.
    id {text} primary key,
    -- The audited operation that started the job.
    operation text not null,
    -- JSON: what is done to each target. It may name people; empty once all targets are done.
    work text not null,
    -- Who started it, and the hash of the session whose tokens the job uses.
    user_id text not null,
    email text not null,
    session text not null,
    -- The address of the user who retried the job last, whose session it is then.
    retried_by text,
    -- running, done, cancelled or interrupted.
    state text not null,
    -- The run that works on the job, and until when no other may.
    claimed_by text,
    claimed_until bigint,
    -- When a paused job continues; null: it is not paused. How often it was paused since its last progress.
    resumes_at bigint,
    pauses bigint not null default 0,
    -- The job that this one undoes, and the one that undoes this one.
    undoes text,
    undone_by text,
    created_at bigint not null,
    ended_at bigint
);
create index jobs_running on jobs (id) where state = 'running';
create index jobs_user on jobs (user_id, id);

create table job_targets (
    job_id {text} not null references jobs (id) on delete cascade,
    -- From 0, in the order in which the targets are processed.
    position bigint not null,
    dsn {text} not null,
    -- waiting, done, failed or cancelled.
    state text not null,
    -- Of a failure, for people.
    reason text,
    -- How often the device cloud failed at this target.
    attempts bigint not null default 0,
    primary key (job_id, position)
);

-- What a job wrote to its targets, for a week after its end or until it is undone.
create table job_writes (
    job_id {text} not null references jobs (id) on delete cascade,
    dsn {text} not null,
    -- JSON: each value before and after. Recipients of notifications are opaque ids.
    written text not null,
    primary key (job_id, dsn)
);

-- Removed notifications of devices, as long as the removal can be undone.
create table removed_notifications (
    -- A UUID of version 7 of the instant of the removal.
    id text primary key,
    dsn {text} not null,
    -- Recipient and events in JSON.
    settings text not null,
    undo_until bigint not null
);
create index removed_notifications_until on removed_notifications (undo_until);

-- The newest reset of the fragrance level of each device, and what undoing it writes back.
create table level_resets (
    dsn {text} primary key,
    -- A UUID of version 7 of the instant of the reset.
    id text not null,
    -- Before the reset: in hours, and in percent.
    cartridge_life double precision not null,
    fragrance_remaining bigint not null,
    -- The datapoints that the reset wrote, by the cloud's ids. Null during the reset, and when the cloud returns none.
    cartridge_life_command text,
    fragrance_remaining_command text,
    -- Later the reset can be undone as long as the device has reported nothing new.
    undo_until bigint not null,
    undone_at bigint
);
create index level_resets_until on level_resets (undo_until);

-- # CSPs and fragrances

-- The names are the partner ids of the cloud's labels; the cloud has no list of CSPs.
create table csps (
    -- A UUID.
    id text primary key,
    name {text} not null unique,
    -- For search and order. Folded by the program, as the next one: SQLite would fold ASCII only.
    name_folded {text} not null,
    -- In one case (A-74).
    name_cased {text} not null,
    -- Equal for names that look alike.
    name_look {text} not null,
    -- Whether a label of the cloud had the name before a user added it here. Labels may differ in case only.
    adopted boolean not null,
    created_at bigint not null
);
create unique index csps_given on csps (name_cased) where not adopted;
create unique index csps_given_look on csps (name_look) where not adopted;

-- The fragrance catalogue. The import adds and changes rows by name and removes none (A-76); its undo removes those it added.
create table fragrances (
    name {text} primary key,
    sku text not null,
    -- In grams per millilitre.
    density double precision not null,
    -- In grams per hour of running, by system configuration; null: the fragrance is not made for it.
    aq200w500 double precision,
    aq300w500 double precision,
    aq500w500 double precision,
    aq800w1250 double precision,
    aq800w2500 double precision,
    aq1200w1250 double precision,
    aq1200w2500 double precision
);

-- The newest import of the catalogue that changed something, until it is undone. At most one row, with the id 1.
create table last_import (
    id bigint primary key,
    imported_at bigint not null,
    -- The name of the file.
    file text,
    -- The changed rows as JSON, before and after the import.
    changed_rows text not null
);

-- The devices whose level a change of the catalogue has changed, until the new level is stored at the cloud, which notifies nobody.
create table recomputed_levels (
    dsn {text} primary key,
    changed_at bigint not null
);

-- # The index

-- A copy of the cloud's devices and users for lists (docs/adr/0006, 0007). The next pass fills all idx_ tables again. Missing texts are
-- empty and missing times 0, so that both databases sort them alike: first. Folded texts are in one case, to filter and to sort by
-- (A-37, A-38); the program folds them, because SQLite would fold ASCII only.

create table idx_devices (
    dsn {text} primary key,
    -- The cloud's key of the device, the order of a pass.
    key bigint not null,
    csp {text} not null,
    serial_number {text} not null,
    customer {text} not null,
    customer_id {text} not null,
    store_number {text} not null,
    service_area {text} not null,
    system_configuration {text} not null,
    fragrance {text} not null,
    network {text} not null,
    street {text} not null,
    zip {text} not null,
    city {text} not null,
    state_province {text} not null,
    country {text} not null,
    time_zone {text} not null,
    -- The words of all texts that one search looks through, each after two blanks: the beginning of a word then has three characters,
    -- however short it is.
    search_folded {text} not null,
    -- The day of the installation, as in ISO 8601; empty if unknown.
    installed_at {text} not null,
    -- The position, in metres from the centre of the earth: distances need no trigonometry, and have no seam anywhere.
    x bigint,
    y bigint,
    z bigint,
    created_at bigint not null
);
create index idx_devices_key on idx_devices (key);

-- What changes often, in a narrow row: PostgreSQL writes the whole row and its index entries again at every update.
create table idx_device_state (
    dsn {text} primary key,
    -- As in idx_devices, which never changes without this row.
    csp {text} not null,
    system_configuration {text} not null,
    -- Online, Offline or NeverConnected. Since when, as far as known; 0 for NeverConnected.
    connection_status {text} not null,
    connection_changed_at bigint not null default 0,
    connected_at bigint not null,
    mode bigint,
    cycle bigint,
    intensity bigint,
    fan bigint,
    -- In percent.
    fragrance_remaining bigint,
    -- When the level became 0, and the median of the forecast or why there is none, by its code. Whether past use has been read.
    emptied_at bigint,
    runs_dry_at bigint,
    forecast_obstacle {text},
    ml_per_week double precision,
    has_history boolean not null default false,
    -- For sorting, by the groups of records::SupplyGroup, a range for each: empty, forecast, no contact, low, and others last.
    runs_dry_rising bigint not null generated always as (case
        when fragrance_remaining <= 0 then coalesce(emptied_at, 0) - 1000000000000000000
        when runs_dry_at is not null then runs_dry_at
        when forecast_obstacle = 'passed_offline' then 1000000000000000000 + connection_changed_at
        when fragrance_remaining <= 20 then 2000000000000000000 + fragrance_remaining
        else 9223372036854775807 end) stored,
    -- Descending, those with a forecast are first, and then as before.
    runs_dry_falling bigint not null generated always as (case
        when fragrance_remaining <= 0 then -coalesce(emptied_at, 0) - 1000000000000000000
        when runs_dry_at is not null then runs_dry_at
        when forecast_obstacle = 'passed_offline' then -2000000000000000000 - connection_changed_at
        when fragrance_remaining <= 20 then -3000000000000000000 - fragrance_remaining
        else -9223372036854775807 end) stored,
    -- Which of these values a user wrote and the device has not acknowledged, as bits.
    pending bigint not null,
    -- No read that began before this may overwrite the device.
    synced_at bigint not null,
    -- Until then, a read of this one device may be running whose result is older than the next page of a pass.
    reading_until bigint not null default 0
)
-- [sqlite]
without rowid
-- [postgres]
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)
-- [both]
;
-- Forecasts whose date has passed.
create index idx_device_state_runs_dry_rising on idx_device_state (runs_dry_rising);

-- When cartridges run dry (F-03): the use of the last 56 days and the forecast that follows from it.
create table idx_forecasts (
    dsn {text} primary key,
    -- In the fixed form of diffuser's DailyUse.
    daily_use {bytes} not null,
    -- When daily_use was filled from the cloud's history; null until then.
    filled_at bigint,
    -- The running time that mode and schedule give, since when, and the share of it that was used before.
    running_plan text not null,
    plan_since bigint,
    usual_share double precision,
    -- The share of the present forecast.
    share double precision,
    -- When the cartridge is empty; null without a forecast, and latest if it is too far ahead.
    earliest bigint,
    median bigint,
    latest bigint,
    -- Why there is no forecast, by its code, and when the level became 0.
    obstacle {text},
    emptied_at bigint,
    -- The expected use; of an empty cartridge, what it was.
    ml_per_week double precision
);
create index idx_forecasts_filled_at on idx_forecasts (filled_at);

-- Users. There are thousands, not millions: a filter may look at every row.
create table idx_users (
    id {text} primary key,
    email {text} not null,
    firstname {text} not null,
    lastname {text} not null,
    company {text} not null,
    business_role {text} not null,
    phone {text} not null,
    city {text} not null,
    state {text} not null,
    country {text} not null,
    confirmed boolean not null,
    -- The effective role by its name in the cloud, and the CSP that it is bound to.
    role {text} not null,
    csp {text} not null,
    email_folded {text} not null,
    firstname_folded {text} not null,
    lastname_folded {text} not null,
    company_folded {text} not null,
    business_role_folded {text} not null,
    phone_folded {text} not null,
    created_at bigint not null,
    -- No read that began before this may overwrite the user.
    synced_at bigint not null
);
-- The default order of a list, for all users and for one CSP, whose users are counted by it, too.
create index idx_users_created_at on idx_users (created_at, id);
create index idx_users_csp_created_at on idx_users (csp, created_at, id);

-- One row: the passes, which any node may request.
create table idx_sync (
    id bigint primary key,
    -- How many passes were requested, and how many of these requests are fulfilled: by a complete pass that began after them.
    wanted bigint not null,
    served bigint not null,
    -- Nothing that happened before is missing from the index of devices, and of users; null until the first pass is complete.
    as_of bigint,
    users_as_of bigint,
    -- The time of the states that the live stream reports; only passes advance as_of.
    states_as_of bigint
);
insert into idx_sync (id, wanted, served) values (1, 1, 0);

-- The node that does what only one may do at a time (platform::lease).
create table leases (
    name {text} primary key,
    holder text not null,
    until bigint not null
);

-- The running consoles and the numbers of their heartbeats, by which they notice that they are not on one bus. PostgreSQL only.
create table console_nodes (
    id {text} primary key,
    beats bigint not null,
    beat_at bigint not null
);

-- One row: the latest time that a node has read from its clock, and the last time at which retention trusted it
-- (platform::clock_reading).
create table clock_reading (
    id bigint primary key check (id = 1),
    seen_at bigint not null,
    trusted_at bigint not null
);

-- The random name of this installation on a bus that others may share: one row with the id 1.
create table bus_scope (
    id bigint not null primary key,
    scope text not null
);

-- # What follows the index

-- The devices whose rows changed, in the order of their changes: each node's lists in memory read from here what they have not seen
-- (index/memory/changes.rs). The first row names no device, so that there is always a last change.
create table idx_changes (
    -- [sqlite]
    number integer primary key autoincrement,
    -- [postgres]
    number bigint generated always as identity primary key,
    -- [both]
    dsn {text} not null
);
insert into idx_changes (dsn) values ('');

-- [sqlite]
create trigger idx_changes_insert after insert on idx_devices begin
    insert into idx_changes (dsn) values (new.dsn);
end;
create trigger idx_changes_update after update on idx_devices begin
    insert into idx_changes (dsn) select old.dsn union select new.dsn;
end;
create trigger idx_changes_delete after delete on idx_devices begin
    insert into idx_changes (dsn) values (old.dsn);
end;
-- A state is inserted, and deleted, with the other values of its device.
create trigger idx_changes_state after update on idx_device_state
when (old.dsn, old.connection_status, old.connection_changed_at, old.connected_at, old.mode, old.fragrance_remaining, old.runs_dry_rising)
    is not (new.dsn, new.connection_status, new.connection_changed_at, new.connected_at, new.mode, new.fragrance_remaining, new.runs_dry_rising)
begin
    insert into idx_changes (dsn) values (new.dsn);
end;
-- [postgres]
-- Writers take turns, as on SQLite: a number then never becomes visible after a greater one, which readers rely on. Each statement that
-- may change a list waits for its turn before it takes its rows, because two transactions that took rows of each other would wait for
-- ever. The key is "changes" in ASCII.
create function idx_changes_turn() returns trigger language plpgsql as $$
begin
    perform pg_advisory_xact_lock(27980790367741299);
    return null;
end $$;
create trigger idx_changes_turn before insert or delete or update on idx_devices
    for each statement execute function idx_changes_turn();
create trigger idx_changes_state_turn
    before insert or delete or update of csp, connection_status, connection_changed_at, connected_at, mode, fragrance_remaining,
        emptied_at, runs_dry_at, forecast_obstacle
    on idx_device_state for each statement execute function idx_changes_turn();

create function idx_changes_new() returns trigger language plpgsql as $$
begin
    insert into idx_changes (dsn) select dsn from new_rows;
    return null;
end $$;
create function idx_changes_both() returns trigger language plpgsql as $$
begin
    insert into idx_changes (dsn) select dsn from old_rows union select dsn from new_rows;
    return null;
end $$;
create function idx_changes_old() returns trigger language plpgsql as $$
begin
    insert into idx_changes (dsn) select dsn from old_rows;
    return null;
end $$;
create function idx_changes_state() returns trigger language plpgsql as $$
begin
    insert into idx_changes (dsn)
    select n.dsn from new_rows n left join old_rows o using (dsn)
    where (o.connection_status, o.connection_changed_at, o.connected_at, o.mode, o.fragrance_remaining, o.runs_dry_rising)
        is distinct from
        (n.connection_status, n.connection_changed_at, n.connected_at, n.mode, n.fragrance_remaining, n.runs_dry_rising);
    return null;
end $$;
create trigger idx_changes_insert after insert on idx_devices
    referencing new table as new_rows for each statement execute function idx_changes_new();
create trigger idx_changes_update after update on idx_devices
    referencing old table as old_rows new table as new_rows for each statement execute function idx_changes_both();
create trigger idx_changes_delete after delete on idx_devices
    referencing old table as old_rows for each statement execute function idx_changes_old();
-- A state is inserted, and deleted, with the other values of its device.
create trigger idx_changes_state after update on idx_device_state
    referencing old table as old_rows new table as new_rows for each statement execute function idx_changes_state();
-- [both]

-- # Attention

-- What the rules of attention need of a device beside the index, and when to evaluate them next. Filled again after a loss.
create table attention_devices (
    dsn {text} primary key,
    -- JSON.
    memory text not null,
    due_at bigint not null
);
create index attention_devices_due on attention_devices (due_at, dsn);

-- What needs attention (F-06). Items belong to the CSP that the device had when they opened; they are closed when it moves.
create table attention_items (
    -- A UUID of version 7.
    id text primary key,
    kind text not null,
    -- From 1, the least urgent.
    severity bigint not null,
    -- Empty for an item about a CSP.
    dsn {text} not null,
    -- Empty for a device without a CSP.
    csp text not null,
    since bigint not null,
    opened_at bigint not null,
    closed_at bigint,
    -- How often it opened.
    occurrences bigint not null,
    cause text not null,
    -- JSON.
    evidence text not null,
    acknowledged_at bigint,
    acknowledged_by text,
    assignee text,
    -- When the assignee gets a mail about it; null if told, or to be told nothing.
    tell_at bigint,
    snoozed_until bigint
);
create unique index attention_items_open on attention_items (dsn, csp, kind) where closed_at is null;
create index attention_items_dsn on attention_items (dsn, closed_at);
create index attention_items_closed on attention_items (closed_at, id) where closed_at is not null;
-- The list, that of a CSP, the list of one kind, and the number of new items in the menu.
create index attention_items_list on attention_items (severity, id) where closed_at is null;
create index attention_items_csp on attention_items (csp, severity, id);
create index attention_items_kind on attention_items (kind, severity, id) where closed_at is null;
-- The items of a person.
create index attention_items_assignee on attention_items (assignee) where assignee is not null;
create index attention_items_tell on attention_items (tell_at) where tell_at is not null;
create index attention_items_new on attention_items (csp, severity, snoozed_until)
    where closed_at is null and acknowledged_at is null;

create table attention_comments (
    -- A UUID of version 7.
    id text primary key,
    item_id text not null,
    user_id text not null,
    text text not null
);
create index attention_comments_item on attention_comments (item_id, id);

-- The thresholds of CSPs that have changed them; an empty name stands for the devices without a CSP.
create table attention_settings (
    csp text primary key,
    -- JSON.
    settings text not null
);

-- The users who want a daily digest of what needs attention.
create table attention_digests (
    user_id text primary key,
    -- The hour of the day in the time zone.
    hour bigint not null,
    time_zone text not null,
    next_at bigint not null
);
create index attention_digests_next on attention_digests (next_at);

-- # The fleet over time

-- Sums over groups of devices for charts (docs/fleet.md), written by the node with the lease of the passes. They cannot be read again
-- from the cloud, so they stay when the index is filled again.
create table fleet_days (
    -- all, customer or fragrance.
    dimension {text} not null,
    -- The customer or the fragrance; empty for devices without one, and for all.
    value {text} not null,
    csp {text} not null,
    -- When the day of UTC begins.
    day bigint not null,
    -- As of the last sample of the day; null without one. Devices without a known level are in no level.
    devices bigint,
    level_empty bigint,
    level_low bigint,
    level_medium bigint,
    level_high bigint,
    refills bigint not null,
    used_ml double precision not null,
    -- Devices whose use is known.
    used_devices bigint not null,
    -- Devices online at the beginning of each hour of UTC; null if it is unknown.
    online_00 bigint,
    online_01 bigint,
    online_02 bigint,
    online_03 bigint,
    online_04 bigint,
    online_05 bigint,
    online_06 bigint,
    online_07 bigint,
    online_08 bigint,
    online_09 bigint,
    online_10 bigint,
    online_11 bigint,
    online_12 bigint,
    online_13 bigint,
    online_14 bigint,
    online_15 bigint,
    online_16 bigint,
    online_17 bigint,
    online_18 bigint,
    online_19 bigint,
    online_20 bigint,
    online_21 bigint,
    online_22 bigint,
    online_23 bigint,
    primary key (dimension, value, csp, day)
)
-- [postgres]
with (fillfactor = 70)
-- [both]
;
create index fleet_days_day on fleet_days (day, dimension, csp, value);

-- What the devices of a store have used of a fragrance in a month, for the report of a month (docs/fleet.md). It is written with the sums
-- above. A store is what a customer calls so, in a city.
create table fleet_store_months (
    -- When the month of UTC begins.
    month bigint not null,
    -- Empty texts for devices without one.
    csp {text} not null,
    customer {text} not null,
    store_number {text} not null,
    city {text} not null,
    fragrance {text} not null,
    refills bigint not null,
    used_ml double precision not null,
    -- Days of devices whose use is known.
    used_days bigint not null,
    primary key (month, csp, customer, store_number, city, fragrance)
)
-- [sqlite]
without rowid
-- [both]
;

-- One row: the hours of the first and of the last sample.
create table fleet_samples (
    id bigint primary key,
    first_at bigint not null,
    last_at bigint not null
);

-- What each device has added to the sums, so that nothing is added twice.
create table fleet_counted (
    dsn {text} primary key,
    -- The use of earlier days has been added.
    used_until bigint not null,
    -- Refills up to this time have been added.
    refills_until bigint not null
);
create index fleet_counted_refills_until on fleet_counted (refills_until);
