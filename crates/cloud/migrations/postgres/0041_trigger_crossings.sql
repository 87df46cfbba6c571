-- A value that crosses the limit of a trigger is counted in one row, not in those of all its recipients.
-- Of a trigger: when a value last met its condition after one that did not, and how often.
alter table property_trigger add column crossed_at bigint;
alter table property_trigger add column crossings bigint not null default 0;
-- The number at the creation of the app.
alter table trigger_app add column crossings bigint not null default 0;
-- The number up to which the events are reported, or counted in held_back.
alter table message_gap add column crossings bigint not null default 0;
