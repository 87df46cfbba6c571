import type { DeviceView } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { StatusMark } from '@/ui/values/StatusMark';

type Facts = Pick<DeviceView, 'connectionStatus' | 'neverConnected'>;

/** Whether a device is online, offline or has never connected. */
export function DeviceStatus({ device: { connectionStatus, neverConnected } }: { device: Facts }) {
  const label = t.devices.statuses[neverConnected ? 'NeverConnected' : connectionStatus];
  return <StatusMark online={connectionStatus === 'Online'} never={neverConnected} label={label} />;
}
