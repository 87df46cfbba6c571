import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { t } from '@/i18n/en';
import { Button, Stack, Text } from '@/ui/kit';
import classes from './CompletionNotice.module.css';

interface Props {
  text: ReactNode;
  /** The next steps. */
  children: ReactNode;
}

/** Replaces a submitted form and gets its focus. */
export function CompletionNotice({ text, children }: Props) {
  return (
    <Stack>
      <Text ref={focus} tabIndex={-1} role="status" className={classes.text}>
        {text}
      </Text>
      {children}
    </Stack>
  );
}

export function SignInButton() {
  return (
    <Button size="md" fullWidth renderRoot={(props) => <Link to="/signin" {...props} />}>
      {t.auth.signIn}
    </Button>
  );
}

function focus(element: HTMLElement | null): void {
  element?.focus();
}
