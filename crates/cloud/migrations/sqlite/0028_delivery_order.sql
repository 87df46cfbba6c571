-- Messages about accounts are delivered before messages that devices cause, and manufacturers take turns.
drop index ix_outbox_due;
create index ix_outbox_account on outbox (channel, oem_id, due_at)
    where state = 'waiting' and kind not in ('connection', 'value', 'rule');
create index ix_outbox_device on outbox (channel, oem_id, due_at)
    where state = 'waiting' and kind in ('connection', 'value', 'rule');
