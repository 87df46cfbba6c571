import { Button } from '@mantine/core';
import { IconAlertTriangle, IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { t } from '@/i18n/en';
import classes from './Notice.module.css';

interface ErrorProps {
  title: string;
  /** The notice is the whole page, so its title is the page's heading. */
  page?: boolean;
  /** The reason from the server. */
  reason?: string;
  onRetry?: () => void;
  /** Shown after the retry button. */
  action?: ReactNode;
}

/** Replaces content that could not be loaded. */
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
  /** The notice is the whole page, so its title is the page's heading. */
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
  /** A button that resolves it. */
  action?: ReactNode;
}

/** A line of information above the content. */
export function InfoNotice({ text, action }: InfoProps) {
  return (
    <div className={classes.line} data-tone="info" role="status">
      <span>{text}</span>
      {action}
    </div>
  );
}

/** A warning line above the content. */
export function WarningNotice({ text }: { text: string }) {
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

/** A line above content that may be out of date. */
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
