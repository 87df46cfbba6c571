import type { Query, QueryFunctionContext } from '@tanstack/react-query';
import { type ConditionalEndpoint, callUnlessKnown, type TaggedResponse } from './http';
import type { Endpoints } from './schema.gen';

/** The last response of each query. Events may have changed the data of the query since. */
const lastResponses = new WeakMap<Query, TaggedResponse<unknown>>();

/** Reads the data of a query. The server sends it only if it differs from the last response. */
export async function readIfChanged<E extends ConditionalEndpoint>(
  endpoint: E,
  query: Endpoints[E]['request']['query'],
  { client, queryKey, signal }: Pick<QueryFunctionContext, 'client' | 'queryKey' | 'signal'>,
): Promise<Endpoints[E]['response']> {
  const owner = client.getQueryCache().find({ queryKey });
  const last = owner && (lastResponses.get(owner) as TaggedResponse<Endpoints[E]['response']> | undefined);
  const response = await callUnlessKnown(endpoint, { query, signal }, last);
  if (owner) lastResponses.set(owner, response);
  return response.data;
}
