import classes from './StatusMark.module.css';

/** A dot and the word; the color is never the only sign. */
export function StatusMark({ online, label }: { online: boolean; label: string }) {
  return (
    <span className={classes.status} data-online={online}>
      <span className={classes.dot} aria-hidden="true" />
      {label}
    </span>
  );
}
