import type { ReactNode } from 'react';
import type { AuditEntry } from '@/api/schema.gen';
import { dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { ChangeList } from '@/form/changes/ChangeList';
import classes from './AuditCard.module.css';
import { authorDetails, authorText, entryText } from './audit-text';
import { CauseLink } from './CauseLink';
import { ResultMark } from './ResultMark';

interface Props {
  entry: AuditEntry;
  target?: ReactNode;
  /** Shown below the changes. */
  more?: ReactNode;
}

/** A change as a card, where there is no room for a table or only one change. */
export function AuditCard({ entry, target, more }: Props) {
  const { role, place } = authorDetails(entry);
  return (
    <div className={classes.entry}>
      <div className={classes.head}>
        <strong>{entryText(entry)}</strong>
        <time dateTime={entry.at}>{dateTime(instant(entry.at))}</time>
      </div>
      {target}
      {entry.changes.length > 0 && <ChangeList {...entry} />}
      {more}
      <CauseLink entry={entry} />
      <p className={classes.who}>{[authorText(entry), role, place].filter(Boolean).join(' · ')}</p>
      {entry.result !== 'done' && <ResultMark entry={entry} />}
    </div>
  );
}
