import { useRef, useState } from 'react';
import { t } from '@/i18n/en';
import type { CatalogueFile } from './catalogue-file';

export interface ReadFile {
  state: 'read';
  name: string;
  file: CatalogueFile;
}

/** The file to import. */
export type Selected = { state: 'none'; complaint?: string } | { state: 'reading'; name: string } | ReadFile;

const isCsv = ({ name, type }: File) => type === 'text/csv' || name.toLowerCase().endsWith('.csv');

/** Reads the last chosen file. */
export function useCatalogueFile() {
  const [selected, setSelected] = useState<Selected>({ state: 'none' });
  const last = useRef<File>(undefined);
  const reset = (complaint?: string) => {
    last.current = undefined;
    setSelected({ state: 'none', ...(complaint !== undefined && { complaint }) });
  };
  const select = async (files: File[]) => {
    const [file] = files;
    if (!file || files.length > 1) return reset(t.catalogue.onlyOne);
    if (!isCsv(file)) return reset(t.catalogue.noCsv);
    last.current = file;
    const { name } = file;
    setSelected({ state: 'reading', name });
    try {
      const { readCatalogue } = await import('./catalogue-csv');
      const read = await readCatalogue(file);
      // Another file may have been chosen meanwhile.
      if (last.current === file) setSelected({ state: 'read', name, file: read });
    } catch {
      if (last.current === file) reset(t.catalogue.unreadable);
    }
  };
  return { selected, select, reset: () => reset() };
}
