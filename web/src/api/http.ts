import { networkError, problemOf } from './errors';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The shape that the generated `…Data` types share. */
interface Operation {
  url: string;
  path?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: unknown;
}

interface Options {
  signal?: AbortSignal | undefined;
  /** False for the calls that begin, renew or end the session themselves. */
  renewSession?: boolean;
}

/** One call of the console API. A 401 renews the session once and repeats the call. Throws `ApiError`. */
export async function call<Answer, Op extends Operation>(
  method: Method,
  operation: Op,
  options?: Options,
): Promise<Answer> {
  const response = await answered(method, operation, options);
  return response.status === 204 ? (undefined as Answer) : await response.json();
}

/** As `call`, for an answer that is a file. */
export async function callForFile<Op extends Operation>(operation: Op, options?: Options): Promise<Blob> {
  const response = await answered('GET', operation, options);
  try {
    return await response.blob();
  } catch (error) {
    // It broke off.
    throw networkError(error);
  }
}

async function answered(
  method: Method,
  operation: Operation,
  { signal, renewSession = true }: Options = {},
): Promise<Response> {
  let response = await send(method, operation, signal);
  if (response.status === 401 && renewSession && (await renew())) {
    response = await send(method, operation, signal);
    if (response.status === 401) sessionEnded();
  }
  if (!response.ok) throw await problemOf(response);
  return response;
}

async function send(method: Method, { url, path, query, body }: Operation, signal?: AbortSignal): Promise<Response> {
  const init: RequestInit = { method };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    init.headers = { 'content-type': 'application/json' };
    init.body = JSON.stringify(body);
  }
  try {
    return await fetch(addressOf(url, path, query), init);
  } catch (error) {
    // The query that was given up must see its own abort, not a network failure.
    if (signal?.aborted) throw error;
    throw networkError(error);
  }
}

function addressOf(url: string, path: Operation['path'], query: Operation['query']): string {
  const address = url.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path?.[name] ?? ''));
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null) params.set(name, String(value));
  }
  return params.size > 0 ? `${address}?${params}` : address;
}

let renewal: Promise<boolean> | undefined;

/** True when the session goes on. Calls that fail together share one renewal. */
function renew(): Promise<boolean> {
  renewal ??= renewOnce().finally(() => {
    renewal = undefined;
  });
  return renewal;
}

async function renewOnce(): Promise<boolean> {
  const response = await send('POST', { url: '/api/jwt/update' });
  if (response.ok) return true;
  // Only an explicit denial ends the session; a server in trouble says nothing about it.
  if (response.status !== 401) throw await problemOf(response);
  sessionEnded();
  return false;
}

let onSessionEnd: () => void = () => undefined;

/** Who is told when the session has ended on the server's side. */
export function setSessionEndHandler(handler: () => void): void {
  onSessionEnd = handler;
}

export function sessionEnded(): void {
  onSessionEnd();
}
