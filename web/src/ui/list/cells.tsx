import classes from './cells.module.css';

interface TwoLinesProps {
  first: string | null | undefined;
  second?: string | null | undefined;
  /** Set if the first value is never truncated. */
  isWhole?: boolean;
}

/** A value with a related one below it. Their titles contain the full text in case they are truncated. */
export function TwoLines({ first, second, isWhole }: TwoLinesProps) {
  return (
    <>
      <div title={first ?? undefined} data-whole={isWhole}>
        {first || '–'}
      </div>
      {second && <SecondLine text={second} title={second} />}
    </>
  );
}

export function SecondLine({ text, title }: { text: string; title?: string }) {
  return (
    <div className={classes.second} title={title}>
      {text}
    </div>
  );
}
