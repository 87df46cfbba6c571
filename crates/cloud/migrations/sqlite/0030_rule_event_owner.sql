-- user_id: the owner of the rule. Owners take turns, and have a limited number of pending events.
alter table rule_event add column user_id bigint not null default 0;
update rule_event set user_id = coalesce((select user_id from rule where rule.id = rule_event.rule_id), 0);
drop index ix_rule_event_due;
create index ix_rule_event_owner on rule_event (user_id, due_at, id);
