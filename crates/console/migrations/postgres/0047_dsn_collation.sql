-- Indexes serve joins only between columns of one collation. Without it, each read of some devices' forecasts read the whole table.
ALTER TABLE idx_forecasts ALTER COLUMN dsn TYPE TEXT COLLATE "C";
ALTER TABLE attention_devices ALTER COLUMN dsn TYPE TEXT COLLATE "C";
ALTER TABLE attention_items ALTER COLUMN dsn TYPE TEXT COLLATE "C";
ALTER TABLE job_targets ALTER COLUMN job_id TYPE TEXT COLLATE "C", ALTER COLUMN dsn TYPE TEXT COLLATE "C";
ALTER TABLE job_writes ALTER COLUMN job_id TYPE TEXT COLLATE "C", ALTER COLUMN dsn TYPE TEXT COLLATE "C";
