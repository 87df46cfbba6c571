import type { DateInterval } from '@/api/schema.gen';
import { nearDay } from '@/browser/time';
import { instant } from '@/domain/instant';
import type { Zone } from '@/domain/time-zone';
import { t } from '@/i18n/en';

/** 'Dec 20 (Dec 17 – Dec 26)' in a time zone. */
export function intervalText({ earliest, median, latest }: DateInterval, now: Date, zone: Zone): string {
  const day = (at: string) => nearDay(instant(at), now, zone);
  if (latest === null) return t.forecast.openInterval(day(median), day(earliest));
  return t.forecast.interval(day(median), day(earliest), day(latest));
}

/** '14', or '1.4' for a small number. */
export function mlText(ml: number): string {
  return ml < 9.95 ? ml.toFixed(1) : String(Math.round(ml));
}
