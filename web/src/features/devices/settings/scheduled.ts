import { shownSetting } from '@/api/requested';
import type { DeviceDetail } from '@/api/schema.gen';
import { MODE } from '@/domain/settings-rules';

/** Whether a schedule sets the intensity, so that the device's own one has no effect. A requested mode counts. */
export function isScheduled(device: DeviceDetail): boolean {
  const { value, requested } = shownSetting(device, 'mode');
  return (requested ?? value) === MODE.run && hasSchedule(device);
}

/** Whether the device has a schedule, which sets the intensity in Run mode. */
export function hasSchedule({ schedule, shownIntensity }: DeviceDetail): boolean {
  return shownIntensity.schedule !== null || schedule.some(({ active }) => active);
}
