-- Whether partners need the setup code of a device of this template to register it.
alter table template add column setup_code_required boolean not null default false;

-- SHA-256 of the serial number and the code printed on the device; null = it has none.
alter table device add column setup_code_hash text;
