insert into oem (code, name, created_at) values ('0a1b2c3d', 'Sillage', 1);
insert into application (oem_id, app_id, name, secret_hash, created_at) values (1, 'app', 'App', 'hash', 1);
insert into role (oem_id, name, kind, label_key) values (1, 'OEM::Admin', 'oem_admin', null), (1, 'Partner', 'partner_admin', 'csp');
insert into users (uuid, oem_id, email, password_hash, firstname, lastname, machine, confirmed_at, created_at, updated_at)
    values ('5e2c5c4a-0000-4000-8000-000000000001', 1, 'ada@example.com', 'hash', 'Ada', 'Marsh', false, 1, 1, 1);
insert into user_role (user_id, role_id, label_value) values (1, 2, 'ACME');
insert into session (user_id, access_hash, access_expires_at, created_at) values (1, 'access', 2, 1);
insert into refresh_token (hash, session_id, honoured_until) values ('refresh', 1, null), ('replaced', 1, 2);
insert into template (oem_id, name, created_at) values (1, 'diffuser', 1);
insert into template_property (template_id, name, display_name, base_type, direction, ack_enabled, retention_days, minimum, maximum)
    values (1, 'fan', 'Fan', 'integer', 'input', true, 400, 1, 5), (1, 'hours', 'Hours', 'decimal', 'output', false, 400, null, null);
insert into device (oem_id, template_id, dsn, link_key_hash, product_name, model, oem_model, mac, lan_enabled, lat, lng,
                    owner_id, registered, registered_at, city, tz_id, created_at, updated_at)
    values (1, 1, 'DSN-1', 'hash', 'Lobby', 'AirQ', 'om', '00:11', false, 48.8, 2.3, 1, true, 1, 'Paris', 'Europe/Paris', 1, 1);
insert into device_state (device_id, status, connected_at, generation) values (1, 'Online', 1700000000000000, 3);
insert into device_label (device_id, role_id, label_key, label_value, description) values (1, 2, 'csp', 'ACME', 'd');
insert into device_datum (device_id, key, value, created_at, updated_at) values (1, 'customer', '"Hotel"', 1, 1);
insert into property (device_id, template_property_id, value, value_at, reported_value, reported_at, command_id)
    values (1, 1, '3', 1700000000000003, '2', 1700000000000002, '3e2c5c4a-0000-4000-8000-000000000003'), (1, 2, '7.5', 1700000000000001, '7.5', 1700000000000001, null);
insert into datapoint (uuid, property_id, value, echo, user_uuid, metadata, created_at, created_at_from_device)
    values ('9e2c5c4a-0000-4000-8000-000000000001', 1, '2', true, null, null, 1700000000000002, 1699999999000000),
           ('8e2c5c4a-0000-4000-8000-000000000002', 2, '7.5', true, null, null, 1700000000000001, null),
           ('3e2c5c4a-0000-4000-8000-000000000003', 1, '3', false, '5e2c5c4a-0000-4000-8000-000000000001', '{"a":1}', 1700000000000003, null);
insert into command (id, device_id, property_id, value, state, created_at, expires_at)
    values ('3e2c5c4a-0000-4000-8000-000000000003', 1, 1, '3', 'pending', 1700000000000003, 1800000000000000);
insert into subscription (user_id, name, description, property_name, client_type, subscription_type, stream_key, created_at, updated_at)
    values (1, 'old', 'd', '*', 'c', 'datapoint', 'old-key', 1, 1);
