import { useState } from 'react';
import { t } from '@/i18n/en';
import { Select, TextInput } from '@/ui/kit';
import type { FilterInputProps } from '@/ui/list/filter-field';
import { MOST_OFFLINE_HOURS } from './devices-search';
import classes from './filter-inputs.module.css';

export function RemainingInput({ label, value, onChange }: FilterInputProps) {
  return (
    <TextInput
      label={label}
      type="number"
      inputMode="numeric"
      min={0}
      max={100}
      step={1}
      rightSection={<span aria-hidden="true">%</span>}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(currentTarget.value || undefined)}
    />
  );
}

const HOURS = { hours: 1, days: 24 } as const;
type Unit = keyof typeof HOURS;
const UNITS = Object.keys(HOURS) as Unit[];

/** An input for a number of hours or days. */
export function OfflineInput({ label, value, onChange }: FilterInputProps) {
  const [unit, setUnit] = useState<Unit>(value && Number(value) % HOURS.days > 0 ? 'hours' : 'days');
  const change = (count: number | undefined, unit: Unit) => onChange(count ? String(count * HOURS[unit]) : undefined);
  const count = value ? Number(value) / HOURS[unit] : undefined;
  return (
    <div className={classes.pair}>
      <TextInput
        label={label}
        type="number"
        inputMode="numeric"
        min={1}
        max={Math.floor(MOST_OFFLINE_HOURS / HOURS[unit])}
        step={1}
        value={count ?? ''}
        onChange={({ currentTarget }) => change(Number(currentTarget.value), unit)}
      />
      <Select
        aria-label={t.devices.unitOf(label)}
        data={UNITS.map((value) => ({ value, label: t.devices.units[value] }))}
        value={unit}
        onChange={(chosen) => {
          const next = UNITS.find((one) => one === chosen) ?? unit;
          setUnit(next);
          change(count, next);
        }}
        allowDeselect={false}
      />
    </div>
  );
}
