import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { sessionQuery } from '@/api/session';
import { t } from '@/i18n/en';
import { usePageTitle } from '@/ui/hooks/usePageTitle';
import { Stack, Text, Title } from '@/ui/kit';
import { Landing } from '@/ui/layout/Landing';
import classes from './AuthPage.module.css';

interface Props {
  title: string;
  lead?: string;
  /** Shown above the title. */
  notice?: ReactNode;
  children: ReactNode;
}

/** The frame of public pages. */
export function AuthPage({ title, lead, notice, children }: Props) {
  usePageTitle(title);
  const isSignedIn = Boolean(useQuery(sessionQuery).data);
  return (
    <Landing>
      <Stack mt="xl" className={classes.page}>
        {notice}
        <div>
          <Title order={1} size={24}>
            {title}
          </Title>
          {lead && (
            <Text size="sm" c="dimmed">
              {lead}
            </Text>
          )}
        </div>
        {children}
      </Stack>
      <nav className={classes.navigation} aria-label={t.auth.navigation}>
        {isSignedIn ? (
          <Link to="/devices">{t.auth.devices}</Link>
        ) : (
          <>
            <Link to="/signin">{t.auth.signIn}</Link>
            <Link to="/signup">{t.auth.signUp.link}</Link>
          </>
        )}
      </nav>
    </Landing>
  );
}
