import type { AuditEntry } from '@/api/schema.gen';
import { t } from '@/i18n/en';

/** A code of a newer server is shown unchanged. */
export function operationText(operation: string): string {
  return (t.audit.operations as Record<string, string>)[operation] ?? operation;
}

/** The operation, with its number if the entry stands for several. */
export function entryText({ operation, result, occurrences, cause }: AuditEntry): string {
  if (operation === 'update_fragrances' && cause !== null) return t.audit.levelByImport;
  if (operation === 'undo_import' && cause !== null) return t.audit.levelByUndo;
  if (operation !== 'create_session' || result !== 'failed') return operationText(operation);
  return t.audit.refusedSignIns(occurrences);
}

/** The author of a change, as far as the reader may see it. */
export function authorText(entry: AuditEntry): string {
  return entry.actor.email ?? entry.actor.roleName ?? unnamedAuthor(entry);
}

/** The actor was not signed in, or belongs to another CSP and is hidden. */
function unnamedAuthor({ actor: { address }, operation }: AuditEntry): string {
  if (operation === 'create_session') return t.audit.notSignedIn;
  return address === null ? t.audit.nobodyKnown : t.audit.byMail;
}

/** Further information about the actor, and the origin of the request. */
export function authorDetails(entry: AuditEntry): { role: string; place: string } {
  const { actor } = entry;
  const joined = (...parts: (string | null)[]) => parts.filter(Boolean).join(', ');
  return {
    // Without a role the actor is described already.
    role: actor.email ? joined(actor.roleName, actor.csp) : actor.roleName ? unnamedAuthor(entry) : '',
    place: joined(actor.browser, actor.address),
  };
}

/** The job that a job undoes, if the entry is about its start. */
export function undoneJob({ changes }: AuditEntry): string | undefined {
  const id = changes.find(({ field }) => field === 'undoes')?.after;
  return typeof id === 'string' ? id : undefined;
}
