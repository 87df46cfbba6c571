import type { AuditEntry } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { dateTime } from '@/lib/time';
import { SecondLine, TwoLines } from '@/ui/list/cells';
import type { Column } from '@/ui/list/DataTable';
import { operationText, whoRest, whoText } from './audit-words';
import { ChangeList } from './ChangeList';
import { ResultMark } from './ResultMark';
import { TargetLink } from './TargetLink';

const labels = (label: string) => [{ label }] as const;

/** At a desk. */
export const auditColumns: Column<AuditEntry>[] = [
  { labels: labels(t.audit.columns.when), cell: (entry) => dateTime(new Date(entry.at)) },
  {
    labels: labels(t.audit.columns.who),
    cell: (entry) => {
      const { role, place } = whoRest(entry);
      return (
        <>
          <TwoLines first={whoText(entry)} second={role} />
          {place && <SecondLine text={place} />}
        </>
      );
    },
  },
  {
    labels: labels(t.audit.columns.what),
    cell: (entry) => (
      <>
        <div>{operationText(entry.operation)}</div>
        <TargetLink entry={entry} />
      </>
    ),
  },
  { labels: labels(t.audit.columns.changes), grow: true, cell: ({ changes }) => <ChangeList changes={changes} /> },
  { labels: labels(t.audit.columns.result), cell: (entry) => <ResultMark entry={entry} /> },
];
