import { dryText } from '@/api/level-statement';
import type { AttentionItem, AttentionPerson } from '@/api/schema.gen';
import { dateTime, nearDay } from '@/browser/time';
import { instant } from '@/domain/instant';
import { type Zone, zoneOf } from '@/domain/time-zone';
import { t } from '@/i18n/en';

const at = (text: string, zone?: Zone) => dateTime(instant(text), zone);
const hours = (hours: number) => hours.toLocaleString('en-US', { maximumFractionDigits: 1 });

/** Where the item is: the customer and the place, or the CSP. */
export function placeText({ customer, serviceArea, city, csp, dsn }: AttentionItem): string {
  if (!dsn) return csp ?? '';
  return [customer, serviceArea, city].filter(Boolean).join(', ');
}

/** An accessible name of the item. */
export function itemName(item: AttentionItem): string {
  return t.attention.itemName(t.attention.kinds[item.kind], item.dsn ?? item.csp ?? '');
}

/** The values behind the item. */
export function evidenceText({ evidence, isProvisional, timeZone }: AttentionItem, now: Date): string {
  const { level, levelBefore, runsDryAt, offlineSince, installedAt, plannedHours, usedHours, commandSince } = evidence;
  const text = t.attention.evidence;
  const zone = zoneOf(timeZone);
  return [
    levelBefore !== undefined && level !== undefined ? text.jump(levelBefore, level) : undefined,
    levelBefore === undefined && level !== undefined ? text.level(level) : undefined,
    runsDryAt && dryOrPast(runsDryAt, isProvisional, now, zone),
    commandSince && text.command(at(commandSince, zone)),
    offlineSince && text.offlineSince(at(offlineSince, zone)),
    installedAt && text.installed(at(installedAt, zone)),
    plannedHours !== undefined && usedHours !== undefined && text.use(hours(usedHours), hours(plannedHours)),
    evidence.brokenFrames && evidence.brokenFrames.length > 0 && text.frames(evidence.brokenFrames),
    evidence.faults !== undefined && text.faults(evidence.faults),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** Since which day the item has had its cause; nothing if the evidence already names the day on which the cartridge runs dry. */
export function sinceText({ evidence, since, timeZone }: AttentionItem, now: Date): string | undefined {
  if (evidence.runsDryAt) return undefined;
  return t.attention.since(nearDay(instant(since), now, zoneOf(timeZone)));
}

/** The date with which the item was opened may be past by now. */
function dryOrPast(runsDryAt: string, isProvisional: boolean, now: Date, zone: Zone): string {
  const at = instant(runsDryAt);
  if (at <= now) return t.level.wasToRunDry(nearDay(at, now, zone));
  const text = dryText(runsDryAt, now, zone);
  return isProvisional ? t.level.provisional(text) : text;
}

/** What people have done about the item. */
export function stateTexts(item: AttentionItem, now: Date): string[] {
  const { acknowledgedAt, acknowledgedBy, assignee, snoozedUntil, closedAt, occurrences } = item;
  const isSnoozed = snoozedUntil !== null && instant(snoozedUntil) > now;
  const isNew = closedAt === null && acknowledgedAt === null && !isSnoozed;
  return [
    isNew && t.attention.states.new,
    closedAt && t.attention.closed(at(closedAt)),
    acknowledgedAt &&
      (acknowledgedBy ? t.attention.acknowledgedBy(personText(acknowledgedBy)) : t.attention.acknowledged),
    assignee && t.attention.assignedTo(personText(assignee)),
    isSnoozed && t.attention.snoozedUntil(at(snoozedUntil)),
    occurrences > 1 && t.attention.occurrences(occurrences),
  ].filter((text) => typeof text === 'string');
}

/** People of other organizations have no name here. */
export function personText({ name }: AttentionPerson): string {
  return name ?? t.attention.someone;
}
