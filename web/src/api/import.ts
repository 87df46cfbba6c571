import type { QueryClient } from '@tanstack/react-query';
import { fragrancesQuery } from './fragrances';
import { call } from './http';
import type { CatalogueExport, CatalogueRow, CatalogueUpdate } from './schema.gen';

/** The whole catalogue as rows of a file. */
export function exportFragrances(): Promise<CatalogueExport> {
  return call('GET /api/import/export');
}

/** Brings the catalogue up to these rows, all or none. */
export function updateFragrances(rows: CatalogueRow[]): Promise<CatalogueUpdate> {
  return call('POST /api/import', { body: rows });
}

/** Reads the catalogue again where it is shown. */
export function rereadFragrances(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: fragrancesQuery.queryKey });
}
