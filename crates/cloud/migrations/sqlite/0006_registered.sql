-- A walk over the registered devices, and their count with each of its pages (A-124).
create index ix_device_registered on device (oem_id, registered, id);
