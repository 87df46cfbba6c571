import type { Query, QueryFunctionContext } from '@tanstack/react-query';
import { type ConditionalEndpoint, callUnlessKnown, type TaggedResponse } from './http';
import type { Endpoints } from './schema.gen';

/** The last response of each query, by its page. Events may have changed the data of the query since. */
const lastResponses = new WeakMap<Query, Map<unknown, TaggedResponse<unknown>>>();

type ReadContext = Pick<QueryFunctionContext, 'client' | 'queryKey' | 'signal'> & { pageParam?: unknown };

/** Reads the data of a query. The server sends it only if it differs from the last response. */
export async function readIfChanged<E extends ConditionalEndpoint>(
  endpoint: E,
  query: Endpoints[E]['request']['query'],
  { client, queryKey, signal, pageParam }: ReadContext,
): Promise<Endpoints[E]['response']> {
  const owner = client.getQueryCache().find({ queryKey });
  const pages = owner && (lastResponses.get(owner) ?? new Map<unknown, TaggedResponse<unknown>>());
  const last = pages?.get(pageParam) as TaggedResponse<Endpoints[E]['response']> | undefined;
  const response = await callUnlessKnown(endpoint, { query, signal }, last);
  if (owner && pages) lastResponses.set(owner, pages.set(pageParam, response));
  return response.data;
}
