import classes from './cells.module.css';

/** A value, and another one that belongs to it below. Both are in full in their titles, for where they are cut. */
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
