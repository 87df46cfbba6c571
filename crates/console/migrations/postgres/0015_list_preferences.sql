-- How people want to see lists: rows per page of each list, and how dense the rows are. NULL: the list's own default.
ALTER TABLE user_preferences ADD COLUMN devices_page_size BIGINT;
ALTER TABLE user_preferences ADD COLUMN users_page_size BIGINT;
ALTER TABLE user_preferences ADD COLUMN csps_page_size BIGINT;
ALTER TABLE user_preferences ADD COLUMN copy_targets_page_size BIGINT;
-- comfortable or compact.
ALTER TABLE user_preferences ADD COLUMN density TEXT;
