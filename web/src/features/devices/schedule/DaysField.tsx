import type { Ref } from 'react';
import { DAY_CHOICES, daysOf, WEEK } from '@/domain/schedule';
import { t } from '@/i18n/en';
import { Select } from '@/ui/kit';
import classes from './DaysField.module.css';

const CHOICES = DAY_CHOICES.map((days) => ({ value: String(days), label: t.schedule.days[days] ?? '' }));

interface Props {
  /** Monday = 1. */
  days: readonly number[];
  onChange: (days: readonly number[]) => void;
  error: string | undefined;
  inputRef: Ref<HTMLInputElement>;
}

/** The days of an entry: one of the choices of a device, or any days of the week. */
export function DaysField({ days, onChange, error, inputRef }: Props) {
  const chosen = WEEK.filter((day) => days.includes(day));
  const choice = DAY_CHOICES.find((choice) => daysOf(choice).join() === chosen.join());
  return (
    <div>
      <Select
        ref={inputRef}
        label={t.scheduleForm.columns.days}
        data={CHOICES}
        value={choice === undefined ? null : String(choice)}
        onChange={(choice) => choice !== null && onChange(daysOf(Number(choice)))}
        placeholder={chosen.map((day) => t.schedule.shortDays[day]).join(', ')}
        error={error}
        allowDeselect={false}
        openOnFocus={false}
        checkIconPosition="right"
      />
      <fieldset className={classes.days} aria-label={t.scheduleForm.severalDays}>
        {WEEK.map((day) => (
          <label key={day} className={classes.day}>
            <input
              type="checkbox"
              aria-label={t.schedule.days[day]}
              checked={chosen.includes(day)}
              onChange={({ currentTarget: { checked } }) =>
                onChange(WEEK.filter((one) => (one === day ? checked : chosen.includes(one))))
              }
            />
            <span aria-hidden="true">{t.schedule.shortDays[day]}</span>
          </label>
        ))}
      </fieldset>
    </div>
  );
}
