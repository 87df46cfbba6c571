import { Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '@/i18n/en';
import { Brand } from './Brand';
import classes from './Landing.module.css';

/** The branded page of sign-in and of pages without the layout. */
export function Landing({ children }: { children: ReactNode }) {
  return (
    <main className={classes.landing}>
      <div className={classes.panel}>
        <Brand />
        {children}
      </div>
    </main>
  );
}

/** The branded page while the route is loading. */
export function LandingLoader() {
  return (
    <main className={classes.landing} aria-busy="true">
      <div className={classes.loader} role="status" aria-label={t.shell.loading}>
        <Brand />
        <Loader type="dots" size="sm" color="var(--accent)" />
      </div>
    </main>
  );
}
