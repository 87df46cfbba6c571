import { Input, NumberInput, Slider } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
import { t } from '@/i18n/en';
import '@mantine/core/styles/NumberInput.css';
import '@mantine/core/styles/Slider.css';
import classes from './SliderField.module.css';

interface Props {
  label: string;
  description: string;
  min: number;
  max: number;
  value: number;
  onChange: (value: number) => void;
  disabled: boolean;
  error?: ReactNode;
}

/** An integer to drag or type; typing stops at the limits and announces them, which is no error: the value is valid. */
export function SliderField({ label, description, min, max, value, onChange, disabled, error }: Props) {
  const id = useId();
  // An empty field counts as the minimum but stays empty while the user types.
  const [emptied, setEmptied] = useState(false);
  const [stopped, setStopped] = useState<string>();
  const type = (typed: number | string) => {
    const number = Number(typed);
    setEmptied(typed === '');
    setStopped(
      typed === '' ? undefined : number > max ? t.form.atMost(max) : number < min ? t.form.atLeast(min) : undefined,
    );
    onChange(Math.min(Math.max(number, min), max));
  };
  const slide = (value: number) => {
    setStopped(undefined);
    onChange(value);
  };
  return (
    <Input.Wrapper
      id={id}
      label={label}
      description={description}
      error={error}
      errorProps={{ role: 'alert' }}
      inputWrapperOrder={['label', 'description', 'input', 'error']}
    >
      <div className={classes.row}>
        <Slider
          className={classes.slider}
          thumbLabel={label}
          color="var(--accent)"
          label={null}
          thumbSize={20}
          min={min}
          max={max}
          value={value}
          onChange={slide}
          disabled={disabled}
        />
        <NumberInput
          className={classes.number}
          id={id}
          min={min}
          max={max}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="none"
          inputMode="numeric"
          value={emptied ? '' : value}
          onChange={type}
          onBlur={() => setEmptied(false)}
          disabled={disabled}
        />
      </div>
      {stopped && (
        <p className={classes.stopped} role="alert">
          {stopped}
        </p>
      )}
    </Input.Wrapper>
  );
}
