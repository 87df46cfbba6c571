import classes from './SelectBox.module.css';

interface Props {
  /** The accessible name of what it selects. */
  label: string;
  checked: boolean;
  /** A part of the rows is selected. */
  partly?: boolean;
  disabled: boolean;
  onChange: (chosen: boolean) => void;
}

/** Selects a row, or all rows of a page. */
export function SelectBox({ label, checked, partly = false, disabled, onChange }: Props) {
  return (
    <label className={classes.area}>
      <input
        ref={(input) => {
          if (input) input.indeterminate = partly;
        }}
        className={classes.box}
        type="checkbox"
        aria-label={label}
        checked={checked}
        disabled={disabled}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
    </label>
  );
}
