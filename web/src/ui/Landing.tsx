import { Loader } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '@/i18n/en';
import { Brand } from './Brand';
import classes from './Landing.module.css';

/** The branded page behind sign-in and behind what stands alone. */
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

/** The same while it is not known yet which page comes. */
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
