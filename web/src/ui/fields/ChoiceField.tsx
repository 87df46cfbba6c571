import { Input, SegmentedControl } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import '@mantine/core/styles/FloatingIndicator.css';
import '@mantine/core/styles/SegmentedControl.css';
import { useIsPhone } from '@/ui/hooks/useIsPhone';
import classes from './ChoiceField.module.css';

interface Props {
  label: string;
  choices: readonly number[];
  text: (choice: number) => string;
  /** Stacks the choices on a phone. */
  longTexts?: boolean;
  /** Null if nothing is chosen. */
  value: number | null;
  onChange: (choice: number) => void;
  error?: ReactNode;
}

/** A choice between a few values, all of them visible. */
export function ChoiceField({ label, choices, text, longTexts = false, value, onChange, error }: Props) {
  const id = useId();
  const isPhone = useIsPhone();
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      error={error}
      errorProps={{ role: 'alert', mt: 6 }}
    >
      <SegmentedControl
        withItemsBorders={false}
        className={classes.choices}
        fullWidth
        orientation={longTexts && isPhone ? 'vertical' : 'horizontal'}
        aria-labelledby={id}
        data={choices.map((choice) => ({ value: String(choice), label: text(choice) }))}
        value={value === null ? '' : String(value)}
        onChange={(choice) => onChange(Number(choice))}
      />
    </Input.Wrapper>
  );
}
