import type { AuditQuery } from '@/api/audit';
import { dateTime } from '@/browser/time';
import { instant } from '@/domain/instant';
import { ChangeList } from '@/form/changes/ChangeList';
import { t } from '@/i18n/en';
import { SecondLine, TwoLines } from '@/ui/list/cells';
import type { Column } from '@/ui/list/DataTable';
import { authorDetails, authorText, entryText } from '../entry/audit-text';
import { CauseLink } from '../entry/CauseLink';
import { ResultMark } from '../entry/ResultMark';
import { TargetLink } from '../entry/TargetLink';
import { type AuditRow, isInGroup } from './audit-rows';
import { JobChanges } from './JobChanges';

const labels = (label: string) => [{ label }] as const;

/** For desktop screens. */
export const auditColumns = (query: AuditQuery): Column<AuditRow>[] => [
  { labels: labels(t.audit.columns.when), cell: ({ entry }) => dateTime(instant(entry.at)) },
  {
    labels: labels(t.audit.columns.who),
    cell: ({ entry }) => {
      const { role, place } = authorDetails(entry);
      return (
        <>
          <TwoLines first={authorText(entry)} second={role} />
          {place && <SecondLine text={place} />}
        </>
      );
    },
  },
  {
    labels: labels(t.audit.columns.what),
    cell: ({ entry, folded }) => (
      <>
        <div>{entryText(entry)}</div>
        {!folded && <TargetLink entry={entry} />}
        <CauseLink entry={entry} />
      </>
    ),
  },
  {
    labels: labels(t.audit.columns.changes),
    grow: true,
    cell: ({ entry, folded }) => (
      <>
        {(!folded || !isInGroup(entry)) && <ChangeList {...entry} />}
        {folded && <JobChanges folded={folded} query={query} />}
      </>
    ),
  },
  { labels: labels(t.audit.columns.result), cell: ({ entry }) => <ResultMark entry={entry} /> },
];
