import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { fragrancesQuery } from './fragrances';
import { call } from './http';
import type { CatalogueExport, CatalogueRow, CatalogueUpdate } from './schema.gen';

/** The server accepts no longer name of a file. */
const LONGEST_NAME = 255;

/** The catalogue as rows of a file. */
export function exportFragrances(): Promise<CatalogueExport> {
  return call('GET /api/import/export');
}

/** What the import of these rows would change. Not cached, because catalogue and devices may have changed since. */
export function importPreviewQuery(fileId: number, rows: CatalogueRow[]) {
  return queryOptions({
    queryKey: ['previews', 'import', fileId],
    queryFn: ({ signal }) => call('POST /api/import/preview', { body: rows, signal }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** Adds and updates these rows of the catalogue, all or none, as decided on the preview with this digest. The audit names the file. */
export function updateFragrances(file: string, decidedOn: string, rows: CatalogueRow[]): Promise<CatalogueUpdate> {
  return call('POST /api/import', { query: { file: file.slice(0, LONGEST_NAME), decidedOn }, body: rows });
}

/** The import that can be undone. */
export const lastImportQuery = queryOptions({
  queryKey: ['last-import'],
  queryFn: ({ signal }) => call('GET /api/import/last', { signal }),
});

/** What the undo of the import of this instant would change. Not cached, as the preview of an import. */
export function undoPreviewQuery(importedAt: string) {
  return queryOptions({
    queryKey: ['previews', 'import-undo', importedAt],
    queryFn: ({ signal }) => call('POST /api/import/last/preview', { signal }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}

/** Undoes the newest import, as decided on the preview with this digest. */
export function undoImport(decidedOn: string): Promise<CatalogueUpdate> {
  return call('POST /api/import/last/undo', { body: { decidedOn } });
}

/** Reads the displayed catalogue and its newest import again. */
export async function rereadFragrances(client: QueryClient): Promise<void> {
  const keys = [fragrancesQuery.queryKey, lastImportQuery.queryKey];
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}
