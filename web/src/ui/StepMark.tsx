import classes from './StepMark.module.css';

interface Props {
  /** From 1; none is drawn for what is off or not known. */
  step: number | null | undefined;
  of: 3 | 5;
}

/** How much of something, as bars beside the words that say it. */
export function StepMark({ step, of }: Props) {
  if (!step || step < 1 || step > of) return null;
  return (
    <span className={classes.mark} data-step={step} aria-hidden="true">
      {Array.from({ length: of }, (_, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: bars are their places
        <i key={place} />
      ))}
    </span>
  );
}
