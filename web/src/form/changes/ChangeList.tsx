import type { AuditChange, AuditEntry } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { VisuallyHidden } from '@/ui/kit';
import classes from './ChangeList.module.css';
import { fieldText, valueText } from './change-text';

type Change = Omit<AuditChange, 'saved'> & Partial<Pick<AuditChange, 'saved'>>;

interface Props {
  changes: readonly Change[];
  /** The target of the audit entry, if the changes belong to one. */
  target?: AuditEntry['target'];
}

/** What a change was made with: these have one value. */
const PROPERTIES = new Set([
  'devices',
  'file',
  'format',
  'furtherFragrances',
  'openItems',
  'rows',
  'successor',
  'undoneOperation',
]);

/** The job that a job undoes: entries have a link to it. */
const UNDONE_JOB = 'undoes';

/** Each field with its values before and after; the properties of a report or a job have only one. */
export function ChangeList({ changes: all, target }: Props) {
  const changes = all.filter(({ field }) => field !== UNDONE_JOB);
  if (changes.length === 0) return <span aria-hidden="true">–</span>;
  return (
    <ul className={classes.changes}>
      {changes.map(({ field, before, after, saved }) => (
        <li key={`${field} ${valueText(field, before)}`} data-saved={saved !== false}>
          <span className={classes.field}>{fieldText(field)}</span>{' '}
          {hasOneValue(target) || PROPERTIES.has(field) ? (
            <span>{valueText(field, after)}</span>
          ) : (
            <>
              <del>{valueText(field, before)}</del> <span aria-hidden="true">→</span>{' '}
              <VisuallyHidden>{`${t.audit.becomes} `}</VisuallyHidden>
              <ins>{valueText(field, after)}</ins>
            </>
          )}
          {saved === false && <span className={classes.lost}>{` (${t.audit.notSaved})`}</span>}
        </li>
      ))}
    </ul>
  );
}

/** A report or a job is made with its parameters. */
function hasOneValue(target: Props['target']): boolean {
  return target?.kind === 'report' || target?.kind === 'job';
}
