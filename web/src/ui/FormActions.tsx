import type { ReactNode } from 'react';
import classes from './FormActions.module.css';
import { useIsPhone } from './useIsPhone';

interface Props {
  /** The page is longer than any screen; on a phone every form is. */
  long?: boolean;
  children: ReactNode;
}

/** The buttons at the end of a page that is a form. */
export function FormActions({ long = false, children }: Props) {
  const pinned = useIsPhone() || long;
  return (
    <div className={classes.actions} data-pinned={pinned}>
      {children}
    </div>
  );
}
