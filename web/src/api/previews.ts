import { infiniteQueryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { CopyForm, CspAssignment } from './schema.gen';

/** The job to preview, as the request that would start it. */
export type PreviewSource = { assignment: CspAssignment } | { copyOf: string; form: CopyForm };

/** The changes that a job would make, page by page. Not cached, because the devices may have changed since. */
export function previewQuery(source: PreviewSource) {
  return infiniteQueryOptions({
    queryKey: ['previews', source],
    queryFn: ({ pageParam, signal }) => {
      const query = { from: pageParam };
      if ('assignment' in source) {
        return call('POST /api/devices/csp/preview', { body: source.assignment, query, signal });
      }
      const path = { dsn: source.copyOf };
      return call('POST /api/devices/dsns/{dsn}/copy/preview', { path, body: source.form, query, signal });
    },
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
}
