-- The device link looks for pending commands of the last seconds.
create index ix_command_recent on command (created_at) where state = 'pending';
