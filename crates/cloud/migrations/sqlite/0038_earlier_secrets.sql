-- SHA-256 of the secret before the last rotation, and the time until which it is valid as well; null = it ended with the rotation.
alter table application add column earlier_secret_hash text;
alter table application add column earlier_secret_until bigint;
