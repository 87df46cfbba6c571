import { Input, NumberInput, Slider } from '@mantine/core';
import { type ReactNode, useId, useState } from 'react';
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

/** A whole number, to drag or to type; typing stops at the limits. */
export function SliderField({ label, description, min, max, value, onChange, disabled, error }: Props) {
  const id = useId();
  // An emptied field counts as the minimum, but stays empty while one types.
  const [emptied, setEmptied] = useState(false);
  const type = (typed: number | string) => {
    setEmptied(typed === '');
    onChange(Math.min(Math.max(Number(typed), min), max));
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
          onChange={onChange}
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
    </Input.Wrapper>
  );
}
