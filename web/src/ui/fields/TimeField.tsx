import { Input, SegmentedControl } from '@mantine/core';
import { type Ref, useId, useState } from 'react';
import { HALVES, type Half, type TimeEntry, tidyTime, typedHalf } from '@/browser/time-entry';
import { t } from '@/i18n/en';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import classes from './TimeField.module.css';

interface Props {
  label: string;
  value: TimeEntry;
  onChange: (value: TimeEntry) => void;
  error?: string | undefined;
  /** The field for hours and minutes. */
  inputRef?: Ref<HTMLInputElement>;
}

/** An input for a time of day, with AM and PM in the 12-hour format. Leaving the field formats the typed text. */
export function TimeField({ label, value, onChange, error, inputRef }: Props) {
  const id = useId();
  // The half before the text was typed, for when '12' becomes '1'.
  const [half, setHalf] = useState(value.half);
  const type = (text: string) => onChange({ text, half: half && typedHalf(text, half) });
  const tidyUp = () => {
    const { text, half } = tidyTime(value);
    if (text !== value.text || half !== value.half) onChange({ text, half });
  };
  return (
    <Input.Wrapper id={id} label={label} error={error} errorProps={{ mt: 6 }}>
      <div className={classes.row}>
        <Input
          className={classes.text}
          ref={inputRef}
          id={id}
          inputMode="numeric"
          autoComplete="off"
          error={error}
          value={value.text}
          onChange={({ currentTarget }) => type(currentTarget.value)}
          // Selects the old time, so that typing replaces it.
          onFocus={({ currentTarget }) => {
            setHalf(value.half);
            currentTarget.select();
          }}
          onBlur={tidyUp}
        />
        {value.half && (
          <SegmentedControl
            withItemsBorders={false}
            className={classes.half}
            aria-label={t.scheduleForm.half(label)}
            data={[...HALVES]}
            value={value.half}
            onChange={(half) => onChange({ ...value, half: half as Half })}
          />
        )}
      </div>
    </Input.Wrapper>
  );
}
