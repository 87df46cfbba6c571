-- A machine account belongs to one application, and signs in through no other (A-84). Null: a person's account.
alter table users add column application_id bigint references application (id);
update users set application_id = (select min(id) from application where application.oem_id = users.oem_id)
where machine;
alter table users drop column machine;
