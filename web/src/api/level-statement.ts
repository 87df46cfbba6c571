import { fullDays, nearDay } from '@/browser/time';
import { instant } from '@/domain/instant';
import { type Zone, zoneOf } from '@/domain/time-zone';
import { t } from '@/i18n/en';
import type { DeviceView } from './schema.gen';

/** What is known of the level of a device. */
export type LevelFacts = Pick<
  DeviceView,
  | 'supply'
  | 'emptySince'
  | 'runsDryAt'
  | 'forecastObstacle'
  | 'isProvisional'
  | 'fragranceRemaining'
  | 'connectionStatus'
  | 'connectionChangedAt'
  | 'timeZone'
>;

/**
 * The statement about the level of a device: since when it is empty, when it runs dry, since when it has not been heard of, or why
 * there is no date. It names one time, in the device's zone; undefined if there is nothing to say besides the level itself.
 */
export function levelStatement(device: LevelFacts, now: Date): string | undefined {
  const { supply, emptySince, runsDryAt, forecastObstacle, isProvisional } = device;
  const zone = zoneOf(device.timeZone);
  const text = t.level;
  const provisional = (statement: string) => (isProvisional ? text.provisional(statement) : statement);
  if (supply === 'empty') {
    return emptySince === null ? text.empty : provisional(text.emptySince(nearDay(instant(emptySince), now, zone)));
  }
  if (supply === 'forecast') return runsDryAt === null ? undefined : provisional(dryText(runsDryAt, now, zone));
  if (supply === 'no_contact' || forecastObstacle === 'offline') return noContactText(device, now);
  if (supply !== 'low') return undefined;
  return forecastObstacle === null ? text.noForecastYet : text.noForecast(text.obstacles[forecastObstacle]);
}

/** When a cartridge runs dry. A date that has passed is not shown as a forecast. */
export function dryText(runsDryAt: string, now: Date, zone: Zone): string {
  const at = instant(runsDryAt);
  return at <= now ? t.level.dryNow : t.level.dry(nearDay(at, now, zone));
}

function noContactText({ connectionChangedAt, fragranceRemaining }: LevelFacts, now: Date): string {
  if (connectionChangedAt === null) return t.level.neverContacted;
  return t.level.noContact(fullDays(instant(connectionChangedAt), now), fragranceRemaining);
}
