import classes from './SelectBox.module.css';

interface Props {
  /** What is chosen with it. */
  label: string;
  checked: boolean;
  /** Some of what it stands for is chosen. */
  partly?: boolean;
  disabled: boolean;
  onChange: (chosen: boolean) => void;
}

/** Chooses a row, or all of a page. */
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
