import type { Setting } from '@/lib/settings-rules';
import type { Commands, DeviceDetail } from './schema.gen';

type Device = Pick<DeviceDetail, 'connectionStatus' | 'commands'>;

/** A setting as it is shown. */
export interface ShownSetting {
  /** What the device has; null where nobody knows. */
  value: number | null;
  /** Set while an offline device has yet to take it over. */
  requested?: number;
}

/** Whether the value is what somebody requests of an offline device, and not yet the value of the device. */
export function isOnlyRequested({ connectionStatus, commands }: Device, name: keyof Commands): boolean {
  return connectionStatus === 'Offline' && commands[name]?.state === 'pending';
}

export function shownSetting(device: DeviceDetail, name: Setting): ShownSetting {
  const command = device.commands[name];
  if (!command || !isOnlyRequested(device, name)) return { value: device[name] };
  return { value: command.reported, requested: command.value };
}
