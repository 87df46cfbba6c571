import classes from './StepMark.module.css';

interface Props {
  /** Counted from 1. Nothing is drawn if the value is off or unknown. */
  step: number | null | undefined;
  of: 3 | 5;
  /** Set if a larger step means less scent, so that it fills fewer bars. */
  isFalling?: boolean;
}

/** A value as bars, next to its text: more bars mean more scent. */
export function StepMark({ step, of, isFalling = false }: Props) {
  if (!step || step < 1 || step > of) return null;
  return (
    <span className={classes.mark} data-step={step} data-bars={isFalling ? of + 1 - step : step} aria-hidden="true">
      {Array.from({ length: of }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars are their places
        <i key={place} />
      ))}
    </span>
  );
}
