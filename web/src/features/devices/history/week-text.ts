import type { DeviceWeek } from '@/api/schema.gen';
import { monthDay } from '@/browser/time';
import { instant } from '@/domain/instant';
import type { Zone } from '@/domain/time-zone';
import { t } from '@/i18n/en';

/** A sentence for customers about what a device did in the last week: 'Ran 58 of 60 scheduled hours last week, used 41 mL'. */
export function weekText({ from, to, ranHours, plannedHours, usedMl }: DeviceWeek, zone: Zone): string {
  const text = t.history.week;
  const end = new Date(instant(to).getTime() - 1);
  const days = text.days(monthDay(instant(from), zone), monthDay(end, zone));
  const [ran, planned] = [rounded(ranHours), rounded(plannedHours)];
  if (ran === null) return planned === null ? text.nothing(days) : text.onlyPlanned(planned, days);
  const hours = planned === null ? text.onlyRan(ran, days) : text.ran(ran, planned, days);
  return usedMl === null ? text.unknownUse(hours) : text.used(hours, Math.round(usedMl));
}

function rounded(hours: number | null): number | null {
  return hours === null ? null : Math.round(hours);
}
