import type { ReactNode } from 'react';
import classes from './FormActions.module.css';
import { useIsPhone } from './useIsPhone';

interface Props {
  /** Pins the buttons because the page is longer than any screen; on a phone they are always pinned. */
  long?: boolean;
  children: ReactNode;
}

/** The buttons at the end of a form page. */
export function FormActions({ long = false, children }: Props) {
  const pinned = useIsPhone() || long;
  return (
    <div className={classes.actions} data-pinned={pinned}>
      {children}
    </div>
  );
}
