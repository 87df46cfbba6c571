import type { FleetSums } from '@/api/schema.gen';
import { monthDay } from '@/browser/time';
import { dayStart } from '@/domain/fleet';
import { numberText } from '@/domain/number-text';
import { t } from '@/i18n/en';
import { Card } from '@/ui/layout/Card';
import classes from './FleetPage.module.css';

interface Props {
  sums: FleetSums;
  before: FleetSums | null;
}

/** The sums of a period, compared with the one before it. */
export function FleetSummary({ sums, before }: Props) {
  const texts = t.fleet.sums;
  const figures = [
    [texts.used, sums.usedMl, before?.usedMl, millilitres],
    [texts.refills, sums.refills, before?.refills, numberText],
    [texts.devices, sums.devices, before?.devices, numberText],
    [texts.empty, sums.empty, before?.empty, numberText],
  ] as const;
  return (
    <Card title={texts.title}>
      <p className={classes.hint}>{days(sums)}</p>
      <dl className={classes.sums}>
        {figures.map(([label, value, earlier, text]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value === null ? t.fleet.unknown : text(value)}</dd>
            {before && value !== null && earlier !== null && earlier !== undefined && (
              <dd className={classes.change}>{texts.change(change(value, earlier), text(earlier), days(before))}</dd>
            )}
          </div>
        ))}
      </dl>
    </Card>
  );
}

function days({ from, to }: FleetSums): string {
  const text = (day: string) => monthDay(new Date(dayStart(day) * 1000), 'UTC');
  return t.fleet.sums.of(text(from), text(to));
}

function change(value: number, before: number): string {
  const { more, less, same } = t.fleet.sums;
  if (value === before) return same;
  const part = before === 0 ? null : Math.abs(value / before - 1);
  const percent =
    part === null ? '' : part.toLocaleString('en-US', { style: 'percent', maximumFractionDigits: part < 0.1 ? 1 : 0 });
  return (value > before ? more : less)(percent).trim();
}

function millilitres(value: number): string {
  return `${numberText(Math.round(value))} mL`;
}
