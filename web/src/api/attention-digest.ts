import { queryOptions } from '@tanstack/react-query';
import { call } from './http';
import type { AttentionDigest, AttentionDigestForm } from './schema.gen';

export const attentionDigestQuery = queryOptions({
  queryKey: ['account', 'digest'],
  queryFn: ({ signal }) => call('GET /api/account/digest', { signal }),
});

/** Sends the user a digest every day at this time, or none. */
export async function updateAttentionDigest(time: AttentionDigestForm | null): Promise<AttentionDigest> {
  if (time) return call('PUT /api/account/digest', { body: time });
  await call('DELETE /api/account/digest');
  return call('GET /api/account/digest');
}

/** Begins or ends the mails about items that others assign to the user. */
export function updateAssignmentMails(wanted: boolean): Promise<AttentionDigest> {
  return call('PUT /api/account/digest/assignments', { body: { wanted } });
}
