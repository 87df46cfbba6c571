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

/** Each field with its values before and after; the properties of a report have only one. */
export function ChangeList({ changes, target }: Props) {
  if (target?.kind === 'report') {
    return (
      <ul className={classes.changes}>
        {changes.map(({ field, after }) => (
          <li key={field}>
            <span className={classes.field}>{fieldText(field)}</span> {valueText(field, after)}
          </li>
        ))}
      </ul>
    );
  }
  if (changes.length === 0) return <span aria-hidden="true">–</span>;
  return (
    <ul className={classes.changes}>
      {changes.map(({ field, before, after, saved }) => (
        <li key={`${field} ${valueText(field, before)}`} data-saved={saved !== false}>
          <span className={classes.field}>{fieldText(field)}</span> <del>{valueText(field, before)}</del>{' '}
          <span aria-hidden="true">→</span> <VisuallyHidden>{t.audit.becomes} </VisuallyHidden>
          <ins>{valueText(field, after)}</ins>
          {saved === false && <span className={classes.lost}> ({t.audit.notSaved})</span>}
        </li>
      ))}
    </ul>
  );
}
