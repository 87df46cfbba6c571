import type { Setting } from '@/domain/settings-rules';
import type { Commands, DeviceDetail } from './schema.gen';

type Device = Pick<DeviceDetail, 'connectionStatus' | 'commands'>;

/** A displayed setting. */
export interface ShownSetting {
  /** The value of the device; null if unknown. */
  value: number | null;
  /** The requested value that an offline device has not applied yet. */
  requested?: number;
}

/** Whether the value was requested while the device was offline and has not been applied yet. */
export function isOnlyRequested({ connectionStatus, commands }: Device, name: keyof Commands): boolean {
  return connectionStatus === 'Offline' && commands[name]?.state === 'pending';
}

export function shownSetting(device: DeviceDetail, name: Setting): ShownSetting {
  const command = device.commands[name];
  if (!command || !isOnlyRequested(device, name)) return { value: device[name] };
  return { value: command.reported, requested: command.value };
}
