import { IconAlertTriangle, IconCheck, IconClock } from '@tabler/icons-react';
import type { AuditEntry } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import classes from './ResultMark.module.css';

const ICONS = { started: IconClock, done: IconCheck, failed: IconAlertTriangle };

export function ResultMark({ entry: { result, code } }: { entry: AuditEntry }) {
  const Icon = ICONS[result];
  return (
    <span className={classes.mark} data-result={result}>
      <Icon size={16} aria-hidden="true" />
      <span>
        {result === 'failed' && code ? (t.audit.failures[code] ?? t.audit.failedWith(code)) : t.audit.results[result]}
      </span>
    </span>
  );
}
