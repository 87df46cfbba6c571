/**
 * Options of the query that a form opens on: it is read when the form is opened, whatever a cache or an earlier failure has.
 * The form waits until the query `isFetchedAfterMount`.
 */
export const FRESH = { refetchOnMount: 'always', retryOnMount: true } as const;
