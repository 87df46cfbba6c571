-- channel: email or sms. Each is delivered by itself, and one whose server is down does not make the looks of the other longer.
drop index ix_outbox_due;
create index ix_outbox_due on outbox (channel, due_at) where state = 'waiting';
