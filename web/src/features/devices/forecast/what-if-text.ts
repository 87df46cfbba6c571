import type { ExpectedUse, WhatIf } from '@/api/schema.gen';
import { nearDay } from '@/browser/time';
import { instant } from '@/domain/instant';
import type { Zone } from '@/domain/time-zone';
import { t } from '@/i18n/en';
import { mlText } from './forecast-text';

/** 'Runs dry on Jan 3 instead of Dec 20; 14 instead of 19 mL a week.' */
export function whatIfText({ before, after, hasEffect }: WhatIf, now: Date, zone: Zone): string {
  if (!hasEffect) return t.whatIf.noEffect;
  const [earlier, later] = [dayOf(before, now, zone), dayOf(after, now, zone)];
  if (after.obstacle !== null) {
    const obstacle = t.forecast.obstacles[after.obstacle];
    return sentence([earlier === undefined ? t.forecast.because(obstacle) : t.whatIf.stops(obstacle, earlier)]);
  }
  return sentence([dateText(earlier, later), mlPart(before, after)]);
}

function dateText(before: string | undefined, after: string | undefined): string | undefined {
  if (after === undefined) return undefined;
  if (before === undefined) return t.forecast.runsDryOn(after);
  return before === after ? t.whatIf.asBefore(after) : t.whatIf.instead(after, before);
}

function mlPart({ mlPerWeek: before }: ExpectedUse, { mlPerWeek: after }: ExpectedUse): string | undefined {
  if (after === null) return undefined;
  const [earlier, later] = [before === null ? undefined : mlText(before), mlText(after)];
  return earlier === undefined || earlier === later ? t.whatIf.mlOnly(later) : t.whatIf.ml(later, earlier);
}

function dayOf({ empty }: ExpectedUse, now: Date, zone: Zone): string | undefined {
  return empty === null ? undefined : nearDay(instant(empty.median), now, zone);
}

function sentence(parts: (string | undefined)[]): string {
  const text = parts.filter(Boolean).join('; ');
  return text.endsWith('.') ? text : `${text}.`;
}
