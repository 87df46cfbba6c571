import classes from './StatusMark.module.css';

interface Props {
  online: boolean;
  /** Was never online. */
  never?: boolean;
  label: string;
}

/** A dot and the word; the color is never the only sign. */
export function StatusMark({ online, never = false, label }: Props) {
  return (
    <span className={classes.status} data-state={online ? 'online' : never ? 'never' : 'offline'}>
      <span className={classes.dot} aria-hidden="true" />
      {label}
    </span>
  );
}
