import type { QueryClient } from '@tanstack/react-query';
import { fragrancesQuery } from './fragrances';
import { call } from './http';
import type { CatalogueExport, CatalogueRow, CatalogueUpdate } from './schema.gen';

/** The server accepts no longer name of a file. */
const LONGEST_NAME = 255;

/** The catalogue as rows of a file. */
export function exportFragrances(): Promise<CatalogueExport> {
  return call('GET /api/import/export');
}

/** Adds and updates these rows of the catalogue, all or none. The audit names the file. */
export function updateFragrances(file: string, rows: CatalogueRow[]): Promise<CatalogueUpdate> {
  return call('POST /api/import', { query: { file: file.slice(0, LONGEST_NAME) }, body: rows });
}

/** Reads the displayed catalogue again. */
export function rereadFragrances(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: fragrancesQuery.queryKey });
}
