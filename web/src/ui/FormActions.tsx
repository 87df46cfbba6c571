import type { ReactNode } from 'react';
import classes from './FormActions.module.css';

/** The buttons at the end of a page that is a form. */
export function FormActions({ children }: { children: ReactNode }) {
  return <div className={classes.actions}>{children}</div>;
}
