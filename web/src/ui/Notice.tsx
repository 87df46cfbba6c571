import { Button } from '@mantine/core';
import { IconAlertTriangle, IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '@/i18n/en';
import classes from './Notice.module.css';

interface ErrorProps {
  title: string;
  /** It is all of the page, so its title is the page's heading. */
  page?: boolean;
  /** The reason as the server gave it. */
  reason?: string;
  onRetry?: () => void;
  /** Shown after the retry button. */
  action?: ReactNode;
}

/** Stands where the content would be when it could not be read. */
export function ErrorNotice({ title, page, reason, onRetry, action }: ErrorProps) {
  const Heading = page ? 'h1' : 'p';
  return (
    <div className={classes.notice} role="alert">
      <IconAlertTriangle className={classes.bad} size={32} stroke={1.6} aria-hidden="true" />
      <Heading className={classes.title}>{title}</Heading>
      {reason && <p className={classes.text}>{reason}</p>}
      {onRetry && (
        <Button variant="default" onClick={onRetry}>
          {t.common.retry}
        </Button>
      )}
      {action}
    </div>
  );
}

interface EmptyProps {
  title: string;
  /** As above. */
  page?: boolean;
  text?: string;
  action?: ReactNode;
}

export function EmptyNotice({ title, page, text, action }: EmptyProps) {
  const Heading = page ? 'h1' : 'p';
  return (
    <div className={classes.notice}>
      <IconInbox className={classes.soft} size={32} stroke={1.6} aria-hidden="true" />
      <Heading className={classes.title}>{title}</Heading>
      {text && <p className={classes.text}>{text}</p>}
      {action}
    </div>
  );
}

interface InfoProps {
  text: string;
  /** What can be done about it. */
  action?: ReactNode;
}

/** One line above content that is not as usual. */
export function InfoNotice({ text, action }: InfoProps) {
  return (
    <div className={classes.line} data-tone="info" role="status">
      <span>{text}</span>
      {action}
    </div>
  );
}

/** One orange line above content, as long as it stands there. */
export function StandingNotice({ text }: { text: string }) {
  return (
    <div className={classes.line} data-tone="warn" role="note">
      <span>{text}</span>
    </div>
  );
}

interface StaleProps {
  text: string;
  onRefresh: () => void;
}

/** One line above content that may have changed since. */
export function StaleNotice({ text, onRefresh }: StaleProps) {
  return (
    <div className={classes.line} data-tone="warn" role="status">
      <span>{text}</span>
      <Button size="compact-sm" variant="subtle" onClick={onRefresh}>
        {t.stale.refresh}
      </Button>
    </div>
  );
}
