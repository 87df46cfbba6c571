import classes from './cells.module.css';

/** A value, and another one that belongs to it below. */
export function TwoLines({ first, second }: { first: string | null | undefined; second?: string | null | undefined }) {
  return (
    <>
      <div>{first || '–'}</div>
      {second && <SecondLine text={second} />}
    </>
  );
}

export function SecondLine({ text }: { text: string }) {
  return <div className={classes.second}>{text}</div>;
}
