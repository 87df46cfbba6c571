import { isOnlyRequested, shownSetting } from '@/api/requested';
import type { DeviceDetail } from '@/api/schema.gen';
import type { WeekTime } from '@/domain/schedule';
import { coversTime } from '@/domain/schedule-now';
import { MODE } from '@/domain/settings-rules';
import { t } from '@/i18n/en';
import { settingText, shownIntensityText } from './setting-text';

/**
 * What is known of the intensity: 'now' only if the device is online and runs; of an offline device what the schedule plans or
 * what was reported last.
 */
export function intensityText(device: DeviceDetail, now: WeekTime | undefined): string {
  const { shownIntensity, connectionStatus, neverConnected } = device;
  const texts = t.schedule.intensityOf;
  const text = shownIntensityText(shownIntensity);
  if (shownIntensity.value === null || neverConnected) return texts.unknown;
  if (connectionStatus === 'Online') {
    if (isPaused(device)) return texts.paused;
    return runs(device) ? texts.now(text) : texts.set(text);
  }
  return plannedText(device, now) ?? texts.lastKnown(text);
}

/** Whether an online device is in Run mode, but no time of its schedule is running. */
export function isPaused(device: DeviceDetail): boolean {
  const { connectionStatus, shownIntensity } = device;
  return connectionStatus === 'Online' && modeOf(device) === MODE.run && shownIntensity.schedule === null;
}

function runs(device: DeviceDetail): boolean {
  const mode = modeOf(device);
  return (mode === MODE.always || mode === MODE.run) && device.fragranceRemaining !== 0;
}

/** What the schedule of an offline device in Run mode plans at this time. The device has no requested schedule yet. */
function plannedText(device: DeviceDetail, now: WeekTime | undefined): string | undefined {
  const frames = device.schedule.filter(({ active }) => active);
  if (modeOf(device) !== MODE.run || isOnlyRequested(device, 'schedule') || !now || frames.length === 0)
    return undefined;
  const frame = frames.find((one) => coversTime(one, now));
  if (!frame) return t.schedule.intensityOf.plannedPause;
  const text = t.device.intensityOfSchedule(settingText.intensity(frame.intensity), frame.number);
  return t.schedule.intensityOf.planned(text);
}

function modeOf(device: DeviceDetail): number | null {
  return shownSetting(device, 'mode').value;
}
