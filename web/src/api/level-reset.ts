import { type QueryClient, queryOptions, skipToken } from '@tanstack/react-query';
import { call } from './http';
import type { DeviceDetail, LevelReset, LevelResetResponse } from './schema.gen';

/** How long the server accepts an undo. */
export const UNDO_MS = 30_000;

/** A reset that can be undone. */
export interface UndoableReset {
  id: string;
  /** Milliseconds since the epoch by the browser's clock. */
  until: number;
  before: LevelReset;
}

/** The reset of a device that this browser can still undo, or null. */
export function undoableResetQuery(dsn: string) {
  return queryOptions<UndoableReset | null>({
    queryKey: ['level-resets', dsn],
    queryFn: skipToken,
    initialData: null,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: UNDO_MS,
  });
}

/** Resets the level after a new cartridge was inserted. */
export function resetFragranceLevel(dsn: string): Promise<LevelResetResponse> {
  return call('POST /api/devices/dsns/{dsn}/fragrance-level/reset', { path: { dsn } });
}

/** Restores the values from before the reset. */
export function undoLevelReset(dsn: string, id: string): Promise<DeviceDetail> {
  return call('POST /api/devices/dsns/{dsn}/fragrance-level/resets/{id}/undo', { path: { dsn, id } });
}

/** Stores the response to a reset; null means that nothing can be undone. */
export function keepUndoableReset(client: QueryClient, dsn: string, reset: LevelReset | null): void {
  const undoable = reset?.undo ? { id: reset.undo.id, until: Date.now() + UNDO_MS, before: reset } : null;
  client.setQueryData(undoableResetQuery(dsn).queryKey, undoable);
}
