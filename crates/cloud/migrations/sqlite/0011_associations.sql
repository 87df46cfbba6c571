-- A customer of the people who have this role and label: a dealer's, say (A-129).
create table association (
    user_id bigint not null references users (id) on delete cascade,
    role_id bigint not null references role (id) on delete cascade,
    label_value text not null,
    primary key (user_id, role_id, label_value)
);
create index ix_association_role on association (role_id, label_value, user_id);

create index ix_user_role_label on user_role (role_id, label_value, user_id);

-- A page of a large list of people, and their count, by every order that lists know. Machine accounts are in no list (A-84).
create index ix_users_id on users (oem_id, id) where application_id is null;
create index ix_users_email on users (oem_id, email, id) where application_id is null;
create index ix_users_firstname on users (oem_id, firstname, id) where application_id is null;
create index ix_users_lastname on users (oem_id, lastname, id) where application_id is null;
create index ix_users_company on users (oem_id, company, id) where application_id is null;
create index ix_users_phone on users (oem_id, phone, id) where application_id is null;
create index ix_users_city on users (oem_id, city, id) where application_id is null;
create index ix_users_country on users (oem_id, country, id) where application_id is null;
create index ix_users_confirmed on users (oem_id, confirmed_at, id) where application_id is null;
create index ix_users_created on users (oem_id, created_at, id) where application_id is null;
create index ix_users_updated on users (oem_id, updated_at, id) where application_id is null;
