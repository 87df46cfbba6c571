import classes from './cells.module.css';

/** A value with a related one below it. Their titles contain the full text in case they are truncated. */
export function TwoLines({ first, second }: { first: string | null | undefined; second?: string | null | undefined }) {
  return (
    <>
      <div title={first ?? undefined}>{first || '–'}</div>
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
