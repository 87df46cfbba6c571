/**
 * Query options of a form's data: the form always reads it when it opens, regardless of cached data or an earlier failure. The
 * form waits until the query `isFetchedAfterMount`.
 */
export const FRESH = { refetchOnMount: 'always', retryOnMount: true } as const;
