import { readFileSync } from 'node:fs';
import { inRepository } from './repository';

type Verdict = 'allow' | 'own-csp' | 'own-record' | 'deny';

/** One line of quality/permissions.tsv. */
export interface Permission {
  operation: string;
  /**
   * The verdict for a column: a role, `no_role` or `signed_out`. A '?' in the file marks our own interpretation and is
   * ignored.
   */
  verdict(column: string): Verdict;
}

/** The lines of one kind: `screen`, `navigation`, `button`. */
export function permissions(kind: 'screen' | 'navigation' | 'button'): Permission[] {
  const [head = [], ...lines] = readFileSync(inRepository('quality/permissions.tsv'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t'));
  return lines
    .filter((cells) => cells[0] === kind)
    .map((cells) => ({
      operation: cells[1] ?? '',
      verdict(column) {
        const cell = cells[head.indexOf(column)];
        if (!cell) throw new Error(`quality/permissions.tsv has no column ${column}`);
        return cell.replace('?', '') as Verdict;
      },
    }));
}

/** The only line of this kind that begins with these words. */
export function permission(kind: 'screen' | 'navigation' | 'button', words: string): Permission {
  const found = permissions(kind).filter(({ operation }) => operation === words || operation.startsWith(`${words} (`));
  const [only] = found;
  if (!only || found.length > 1)
    throw new Error(`quality/permissions.tsv has ${found.length} ${kind} lines '${words}'`);
  return only;
}
