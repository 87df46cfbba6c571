-- The number of the development kit, which a profile has (specification 001 section 3).
alter table users add column ayla_dev_kit_num text;
