-- Rows for the tables of a console that a new demo leaves empty.
insert into leases (name, holder, until) values ('test', 'nobody', 1) on conflict do nothing;
insert into jobs (id, operation, work, user_id, email, session, state, created_at, ended_at)
values ('j', '', '', 'u', '', 's', 'done', 1, 1);
insert into job_targets (job_id, position, dsn, state) values ('j', 0, 'D', 'done');
insert into job_writes (job_id, dsn, written) values ('j', 'D', '{"before":"Zoë"}');
insert into recomputed_levels (dsn, changed_at) values ('D', 1);
insert into last_import (id, imported_at, file, changed_rows) values (1, 1, 'Zoë.csv', '[]');
insert into removed_notifications (id, dsn, settings, undo_until) values ('r', 'D', '{"recipient":"Zoë"}', 1);
insert into level_resets (dsn, id, cartridge_life, fragrance_remaining, undo_until) values ('D', 'r', 0.1, 7, 1);
insert into idempotency_keys (user_id, key, request, created_at, claimed_by, claimed_until, response)
values ('u', 'k', x'00ff', 1, 'n', 0, x'');
insert into audit (id, user_id, email, operation, target_kind, target_id, changes, result)
values ('a', 'u', 'lea@example.com', 'op', 'device', 'D', '[]', 'done');
insert into user_preferences (user_id, time_format, csv_separator, csv_decimal_sign) values ('u', '24', 'tab', 'comma');
insert into sessions (id_hash, user_id, email, firstname, lastname, access_read_at, tokens, created_at, seen_at)
values ('h', 'u', 'lea@example.com', 'Zoë', '', 1, x'00', 1, 1);
insert into account_states (user_id, last_sign_in_at, disabled_at) values ('v', 1, 2);
insert into second_factors (user_id, totp_secret, totp_added_at, totp_last_step) values ('u', x'00ff', 1, 2);
insert into recovery_codes (user_id, code_hash) values ('u', 'c');
insert into passkeys (id, user_id, name, credential_id, transports, static_state, dynamic_state, added_at)
values ('k', 'u', 'Laptop', x'01', 3, x'02', x'03', 1);
insert into passkey_ceremonies (id, user_id, state, expires_at) values ('c', 'u', x'00', 1);
insert into pending_sign_ins (id_hash, user_id, tokens, expires_at) values ('p', 'u', x'00', 1);
insert into second_factor_roles (role) values ('r');
insert into mails (id, recipient, subject, body, created_at, due_at) values ('m', 'lea@example.com', 's', 'b', 1, 1);
insert into bus_scope (id, scope) values (1, 's') on conflict do nothing;
insert into idx_forecasts (dsn, daily_use, filled_at, running_plan) values ('D', x'00', 1, '');
insert into attention_devices (dsn, memory, due_at) values ('D', '{}', 1);
insert into attention_items (id, kind, severity, dsn, csp, since, opened_at, occurrences, cause, evidence)
values ('i', 'empty', 3, 'D', '', 1, 1, 1, 'not_refilled', '{}');
insert into attention_comments (id, item_id, user_id, text) values ('c', 'i', 'u', 'Zoë');
insert into attention_digests (user_id, hour, time_zone, next_at) values ('u', 7, 'UTC', 1);
insert into fleet_samples (id, first_at, last_at) values (1, 1, 1) on conflict do nothing;
insert into fleet_days (dimension, value, csp, day, refills, used_ml, used_devices, online_07)
values ('customer', 'Zoë', 'North', 1, 1, 0.5, 1, 2);
insert into fleet_store_months (month, csp, customer, store_number, city, fragrance, refills, used_ml, used_days)
values (1, 'North', 'Zoë', '7', 'Ålesund', 'Fig', 1, 0.5, 1);
insert into fleet_counted (dsn, used_until, refills_until) values ('D', 1, 1) on conflict do nothing;
insert into attention_settings (csp, settings) values ('North', '{}');
insert into console_nodes (id, beats, beat_at) values ('n', 3, 1);
