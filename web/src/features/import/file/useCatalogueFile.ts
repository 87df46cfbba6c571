import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { fragrancesQuery } from '@/api/fragrances';
import { sameName } from '@/domain/one-line';
import { t } from '@/i18n/en';
import type { CatalogueFile, EncodingQuestion } from './catalogue-file';

export interface ReadFile {
  state: 'read';
  /** Another one for each read. */
  id: number;
  name: string;
  file: CatalogueFile;
}

/** The file to import. */
export type Selected =
  | { state: 'none'; complaint?: string }
  | { state: 'reading'; name: string }
  | { state: 'asked'; name: string; question: EncodingQuestion }
  | ReadFile;

/** The file types that the file chooser offers. */
export const ACCEPTED_FILES =
  '.csv,.txt,.tsv,.xlsx,text/csv,text/plain,text/tab-separated-values,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Whether to read a file with this name. An .xls file is read because the error for its content names the remedy. */
const isTable = ({ name, type }: File) => type === 'text/csv' || /\.(?:csv|txt|tsv|xlsx|xls)$/i.test(name);

/** Reads the last chosen file. */
export function useCatalogueFile() {
  const [selected, setSelected] = useState<Selected>({ state: 'none' });
  const client = useQueryClient();
  const last = useRef<File>(undefined);
  const reads = useRef(0);
  const reset = (complaint?: string) => {
    last.current = undefined;
    setSelected({ state: 'none', ...(complaint !== undefined && { complaint }) });
  };
  /** The SKUs in the catalogue, or none if it cannot be read: then warnings lack the present SKU. */
  const presentSkus = async () => {
    const fragrances = await client.fetchQuery(fragrancesQuery).catch(() => []);
    return new Map(fragrances.map(({ name, sku }) => [sameName(name), sku]));
  };
  const read = async (file: File, isWindows1252: boolean) => {
    last.current = file;
    const { name } = file;
    setSelected({ state: 'reading', name });
    try {
      const [{ readCatalogue }, present] = await Promise.all([import('./catalogue-csv'), presentSkus()]);
      const result = await readCatalogue(file, { isWindows1252, present });
      // Another file may have been chosen meanwhile.
      if (last.current !== file) return;
      if ('samples' in result) return setSelected({ state: 'asked', name, question: result });
      reads.current += 1;
      setSelected({ state: 'read', id: reads.current, name, file: result });
    } catch {
      if (last.current === file) reset(t.catalogue.unreadable);
    }
  };
  const select = async (files: File[]) => {
    const [file] = files;
    if (!file || files.length > 1) return reset(t.catalogue.onlyOne);
    if (!isTable(file)) return reset(t.catalogue.noCsv);
    await read(file, false);
  };
  const readAsWindows1252 = async () => {
    if (last.current) await read(last.current, true);
  };
  return { selected, select, readAsWindows1252, reset: () => reset() };
}
