import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inRepository } from './repository';

const SOURCES = inRepository('web/src');
const IMPORT = /(?:from|import)\s*\(?\s*'([^']+)'/g;

/** The dialog of all filters, whose content is a list of `FilterField`. */
const FILTER_DIALOG = 'ui/list/FilterDialog.tsx';

/**
 * The sources of dialogs that contain a select, relative to web/src: files that open a dialog, or are its frame, and that
 * import a select, directly or not; and the lists of filters, which are shown in a dialog.
 */
export function dialogsWithSelects(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /(?<!\.test|\.gen)\.tsx?$/.test(file),
  );
  const texts = new Map(files.map((file) => [file, readFileSync(join(SOURCES, file), 'utf8')]));
  const imported = (file: string) => {
    const names = [...(texts.get(file) ?? '').matchAll(IMPORT)].map(([, name]) => resolved(file, name ?? ''));
    return names.filter((name) => name !== undefined);
  };
  const opensDialog = (file: string) => imported(file).some((name) => /\/(Confirm)?Dialog\.tsx$/.test(`/${name}`));
  const hasSelect = (file: string, seen: Set<string>): boolean => {
    if (seen.has(file)) return false;
    seen.add(file);
    return /<Select(Field)?\b/.test(texts.get(file) ?? '') || imported(file).some((name) => hasSelect(name, seen));
  };
  const isFilters = (file: string) => /: (readonly )?FilterField\[\] (=|\{)/.test(texts.get(file) ?? '');
  return files.filter(
    (file) => file !== FILTER_DIALOG && ((opensDialog(file) && hasSelect(file, new Set())) || isFilters(file)),
  );
}

/** The source of an import of the application. */
function resolved(file: string, name: string): string | undefined {
  const path = name.startsWith('@/') ? name.slice(2) : name.startsWith('.') ? join(dirname(file), name) : undefined;
  if (path === undefined) return undefined;
  return ['.tsx', '.ts'].map((ending) => path + ending).find((source) => existsSync(join(SOURCES, source)));
}
