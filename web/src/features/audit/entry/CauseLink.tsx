import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { AuditEntry } from '@/api/schema.gen';
import { sessionQuery, useCan } from '@/api/session';
import { dayOf } from '@/browser/days';
import { instant } from '@/domain/instant';
import { t } from '@/i18n/en';
import { Text } from '@/ui/kit';
import rowLink from '@/ui/list/rowLink.module.css';
import { undoneJob } from './audit-text';

/** Leads to the job that made a change, or to the import that caused it. */
export function CauseLink({ entry }: { entry: AuditEntry }) {
  const { at, job, cause, target, actor, operation } = entry;
  const isOwn = useQuery(sessionQuery).data?.user.id === actor.userId;
  // An administrator of the manufacturer imports fragrances, and sees the jobs of all users.
  const seesAll = useCan('fragrances.edit');
  const seesJobs = useCan('jobs.view') && (seesAll || isOwn);
  const undone = undoneJob(entry);
  if (job !== null && seesJobs) {
    return (
      <>
        <JobLine id={job} text={target.kind === 'job' ? t.audit.showJob : t.audit.byJob} />
        {undone !== undefined && <JobLine id={undone} text={t.audit.showUndone} />}
      </>
    );
  }
  if (cause !== null && isOfCatalogue(operation) && seesAll) {
    const day = dayOf(instant(at));
    return (
      <Text size="sm">
        <Link to="/audit" search={{ operation, from: day, to: day }} className={rowLink.link}>
          {t.audit.showImport}
        </Link>
      </Text>
    );
  }
  return null;
}

function isOfCatalogue(operation: string): boolean {
  return operation === 'update_fragrances' || operation === 'undo_import';
}

function JobLine({ id, text }: { id: string; text: string }) {
  return (
    <Text size="sm">
      <Link to="/jobs/$id" params={{ id }} className={rowLink.link}>
        {text}
      </Link>
    </Text>
  );
}
