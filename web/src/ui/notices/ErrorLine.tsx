import { Box } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './ErrorLine.module.css';

interface Props {
  /** For the `aria-describedby` of the input. */
  id?: string;
  mt?: number;
  mb?: number;
  /** The message, and a button that retries. */
  children: ReactNode;
}

/** The error of an input, form or dialog, which screen readers announce when it appears. */
export function ErrorLine(props: Props) {
  return <Box component="p" className={classes.line} role="alert" {...props} />;
}
