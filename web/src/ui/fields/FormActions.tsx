import type { ReactNode } from 'react';
import { useIsPhone } from '@/ui/hooks/useIsPhone';
import classes from './FormActions.module.css';

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
