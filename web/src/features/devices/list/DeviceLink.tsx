import { Link } from '@tanstack/react-router';
import type { DeviceView } from '@/api/schema.gen';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';
import type { DevicesSearch } from './devices-search';

/** Opens the device and remembers the list that it was opened from. */
export function DeviceLink({ device, search }: { device: DeviceView; search: DevicesSearch }) {
  return (
    <Link
      to="/devices/$dsn"
      params={{ dsn: device.dsn }}
      state={{ fromDevices: search }}
      className={rowLink.link}
      {...ROW_LINK}
    >
      {device.serialNumber || device.dsn}
    </Link>
  );
}
