-- Rows for the tables of a cloud that a new demo leaves empty.
insert into session (user_id, access_hash, access_expires_at, created_at) select min(id), 'a', 1, 1 from users;
insert into refresh_token (hash, session_id, honoured_until) select 'r', max(id), 1 from session;
insert into subscription (user_id, session_id, name, description, dsn, property_name, client_type, subscription_type, stream_key,
    created_at, updated_at)
select user_id, id, 'S', '', null, '*', 'cloud', 'datapoint', 'k', 1, 1 from session where access_hash = 'a';
insert into command (id, device_id, property_id, value, state, created_at, expires_at, ack_status, ack_message, acked_at)
select d.id, p.device_id, p.id, d.value, 'acknowledged', d.created_at, d.created_at, 200, '"done"', d.created_at
from datapoint d join property p on p.last_datapoint = d.id limit 3;
insert into retention (days, cleared_to) values (400, '0');
insert into file (id, property_id, user_uuid, secret, size, created_at, closed_at)
select '01900000-0000-7000-8000-000000000000', min(id), 'u', 's', 4, 1, 1 from property;
insert into file_chunk (file_id, number, bytes) select id, 0, x'00ff0a5c' from file;
insert into outbox (id, oem_id, user_id, kind, channel, recipient, subject, body, html, state, created_at, waiting_since, due_at,
    delivered_at)
select '01900000-0000-7000-8000-000000000001', oem_id, id, 'value', 'email', 'lea@example.com', 'Zoë', 'a' || char(10) || 'b', '',
    'sent', 1, 1, 1, 1
from users limit 1;
insert into user_token (user_id, purpose, hash, expires_at) select min(id), 'password', 'h', 1 from users;
insert into user_datum (user_id, key, value, created_at, updated_at) select min(id), 'k', '{"a":1}', 1, 1 from users;
insert into contact (user_id, display_name, email_notification, sms_notification, push_notification, created_at, updated_at)
select min(id), '☂', true, false, false, 1, 1 from users;
insert into share (device_id, owner_id, user_id, operation, created_at, updated_at)
select (select min(id) from device), min(id), max(id), 'read', 1, 1 from users;
insert into association (user_id, role_id, label_value)
select user_id, role_id, 'Acme' from user_role limit 1;
insert into custody (user_id, label_key, label_value) select min(id), 'csp', 'Acme' from users;
insert into notification (device_id, user_id, notification_type, threshold, created_at, updated_at)
select (select min(id) from device), min(id), 'on_connect', 300, 1, 1 from users;
insert into notification_app (notification_id, app_type, user_id, email, created_at) select id, 'email', user_id, 'lea@example.com', 1 from notification;
insert into property_trigger (property_id, user_id, trigger_type, value, active, created_at)
select (select min(id) from property), min(id), 'on_change', null, false, 1 from users;
insert into trigger_app (trigger_id, name, user_id, repeat_freq, param1, created_at)
select id, 'email', user_id, 0, 'lea@example.com', 1 from property_trigger;
insert into rule_action (uuid, user_id, name, type, parameters, created_at, updated_at)
select 'x', min(id), 'A', 'EMAIL', '{}', 1, 1 from users;
insert into rule (uuid, user_id, name, expression, is_enabled, created_at, updated_at)
select 'y', min(id), 'R', 'true', false, 1, 1 from users;
insert into rule_step (rule_id, position, action_id) select rule.id, 0, rule_action.id from rule, rule_action;
insert into rule_subject (rule_id, kind, user_id, property) select id, 'property', user_id, null from rule;
insert into rule_event (id, rule_id, device_id, kind, value, depth, created_at, due_at, user_id)
select 'e', id, 1, 'datapoint', '1', 0, 1, 9000000000000000, user_id from rule;
insert into email_change (user_id, old_email, new_email, cancellation_hash, expires_at)
select min(id), 'lea@example.com', 'lea@example.org', 'c', 1 from users;
insert into claim (user_id, device_id, claimed_at) select min(id), null, 1 from users;
insert into message_gap (source, source_id, channel, recipient, device_id, held_back, updated_at) values ('trigger', 1, 'email', 'r', 1, 0, 1);
insert into message_count (day, scope, scope_id, channel, oem_id, sent) select '2026-11-20', 'device', 1, 'email', id, 2 from oem;
insert into budget_notice (day, oem_id, channel, recipient) select '2026-11-20', id, 'email', 'lea@example.com' from oem;
insert into message_limits (oem_id, per_device) select id, 7 from oem;
insert into unknown_sign_in (oem_id, address_hash, failed_sign_ins, updated_at) select id, 'h', 1, 1 from oem;
insert into device_fault (device_id, subject, kind, count, shape, last_at, logged_at) select min(id), 'Zoë', 'k', 2, '41', 1, 1 from device;
-- A node whose gateway has a higher id.
update device set gateway_id = (select max(id) from device) where id = (select min(id) + 1 from device);
insert into bus_scope (id, scope) values (1, 's') on conflict do nothing;
insert into cloud_node (id, started_at, heartbeat_at, beats) values ('n', 1, 1, 3);
