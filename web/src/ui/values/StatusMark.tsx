import classes from './StatusMark.module.css';

interface Props {
  online: boolean;
  /** The device has never connected. */
  never?: boolean;
  label: string;
}

/** A dot and the status as text, so that color is not the only indication. */
export function StatusMark({ online, never = false, label }: Props) {
  return (
    <span className={classes.status} data-state={online ? 'online' : never ? 'never' : 'offline'}>
      <span className={classes.dot} aria-hidden="true" />
      <span>{label}</span>
    </span>
  );
}
