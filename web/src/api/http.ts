import { noteRelease } from '@/browser/release';
import { noteServerTime } from '@/browser/server-clock';
import { isAttended } from './attendance';
import { ApiError, networkError, problemOf } from './errors';
import { type Endpoints, type EndReason, READS } from './schema.gen';
import { finishSubmission, isFinal, isOutdated, startSubmission } from './submissions';

/** Method and path of an operation, as in `GET /api/account`. */
type Endpoint = keyof Endpoints;

interface Options {
  signal?: AbortSignal | undefined;
  /** False for the calls that begin, renew or end the session themselves. */
  renewSession?: boolean;
  /** True for the write of a form with a draft: its submission survives a reload, as the draft does. */
  hasDraft?: boolean;
  /** The state that the user saw when deciding, if the same write means something else in another state. */
  decidedOn?: string | null;
}

/** Path, query and body of an endpoint as described by api/openapi.json, with the options of the call. */
type Request<E extends Endpoint> = Omit<Endpoints[E]['request'], 'url' | 'headers'> & Options;

/** The request may be omitted if none of its members is required. */
type Arguments<E extends Endpoint> = object extends Request<E> ? [request?: Request<E>] : [request: Request<E>];

/** The members that any request may have. */
interface AnyRequest extends Options {
  path?: Record<string, string> | undefined;
  query?: object | undefined;
  headers?: Record<string, string> | undefined;
  body?: unknown;
}

/**
 * One call of the console API; the endpoint decides the types of request and response. A 401 renews the session once
 * and repeats the call. A write has the key of its submission. Throws `ApiError`.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  ...[request]: Arguments<E>
): Promise<Endpoints[E]['response']> {
  return await sendRenewing(endpoint, request, async (response) =>
    response.status === 204 ? undefined : await response.json(),
  );
}

/** The endpoints whose responses have a tag. */
export type ConditionalEndpoint = 'GET /api/devices' | 'GET /api/devices/counts' | 'GET /api/devices/facets';

/** A response, and the tag by which the server recognizes it. */
export interface TaggedResponse<Data> {
  data: Data;
  tag: string | null;
}

/** As `call`, but the response has no body if it is the same as `known`. */
export async function callUnlessKnown<E extends ConditionalEndpoint>(
  endpoint: E,
  request: { query: Endpoints[E]['request']['query']; signal: AbortSignal },
  known: TaggedResponse<Endpoints[E]['response']> | undefined,
): Promise<TaggedResponse<Endpoints[E]['response']>> {
  // If the browser added the tag itself, it would turn a 304 into its cached response.
  const headers = known?.tag ? { 'if-none-match': known.tag } : undefined;
  return await sendRenewing(endpoint, { ...request, headers }, async (response) => {
    if (known && response.status === NOT_MODIFIED) {
      const asOf = response.headers.get('sillage-as-of');
      const statesAsOf = response.headers.get('sillage-states-as-of');
      return asOf === null ? known : { ...known, data: { ...known.data, asOf, ...(statesAsOf && { statesAsOf }) } };
    }
    return { data: await response.json(), tag: response.headers.get('etag') };
  });
}

const NOT_MODIFIED = 304;

/** The endpoints whose response is a file. */
type FileEndpoint = Extract<Endpoint, `GET ${string}/${'report' | 'purchasing' | 'stores'}`>;

/** As `call`, for a response that is a file. */
export async function callForFile<E extends FileEndpoint>(endpoint: E, ...[request]: Arguments<E>): Promise<Blob> {
  return await sendRenewing(endpoint, request, (response) => response.blob(), NO_LIMIT);
}

/** How long a request may take in all. A write may wait half a minute for another one on the server. */
const LIMIT_MS = 60_000;
/** For downloads, whose size is unknown. */
const NO_LIMIT = Number.POSITIVE_INFINITY;

async function sendRenewing<T>(
  endpoint: Endpoint,
  request: AnyRequest = {},
  read: (response: Response) => Promise<T>,
  limitMs = LIMIT_MS,
): Promise<T> {
  try {
    return await within(limitMs, request.signal, (signal) => sendWithRenewal(endpoint, { ...request, signal }, read));
  } catch (error) {
    // The query that was aborted must see its own abort, not a network failure.
    if (request.signal?.aborted || error instanceof ApiError) throw error;
    // There was no answer in time, or the connection broke, maybe in the middle of the response.
    throw networkError(error);
  }
}

/** Calls `run` with a signal that aborts with `signal`, or after this time. */
async function within<T>(
  limitMs: number,
  signal: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limit = new AbortController();
  const abort = () => limit.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  const timer = limitMs < NO_LIMIT ? setTimeout(() => limit.abort(), limitMs) : undefined;
  try {
    return await run(limit.signal);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

async function sendWithRenewal<T>(
  endpoint: Endpoint,
  request: AnyRequest,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const submission = submissionOf(endpoint, request);
  const denialsBefore = denials;
  let response = await send(endpoint, request, submission?.key);
  const mayRenew = request.renewSession !== false && denials === denialsBefore;
  if (response.status === 401 && mayRenew && (await renew())) {
    response = await send(endpoint, request, submission?.key);
    if (response.status === 401) sessionEnded();
  }
  if (!response.ok && response.status !== NOT_MODIFIED) {
    const problem = await problemOf(response);
    if (submission && isFinal(problem)) finishSubmission(submission);
    if (submission && isOutdated(submission, problem)) return await sendWithRenewal(endpoint, request, read);
    throw problem;
  }
  const answer = await read(response);
  if (submission) finishSubmission(submission);
  return answer;
}

const WITHOUT_KEY: ReadonlySet<Endpoint> = new Set<Endpoint>(READS);

/** The submission of a write of a signed-in user; undefined for a read. */
function submissionOf(endpoint: Endpoint, request: AnyRequest) {
  if (endpoint.startsWith('GET ') || WITHOUT_KEY.has(endpoint) || request.renewSession === false) return undefined;
  const { path, query, body, hasDraft = false, decidedOn } = request;
  const [method, template] = endpoint.split(' ') as [method: string, template: string];
  const address = addressOf(template, path, query);
  return startSubmission({
    target: `${method} ${address}`,
    resource: resourceOf(template, path),
    input: JSON.stringify([body, decidedOn]),
    hasDraft,
  });
}

/** The address of what an endpoint writes: of one thing with all its parts, or of all things of a kind. */
function resourceOf(template: string, path: AnyRequest['path']): string {
  // Their targets are devices.
  if (template.startsWith('/api/jobs/') || template.endsWith('/copy')) return '/api/devices';
  const [thing] = /^.*?\{\w+\}/.exec(template) ?? /^\/api\/[^/]+/.exec(template) ?? [template];
  return addressOf(thing, path, undefined);
}

let person: string | undefined;

/** Names the person whom this page shows to the server, which refuses writes if another one has signed in in another tab. */
export function writeAs(id: string | undefined): void {
  person = id;
}

async function send(
  endpoint: Endpoint,
  { path, query, headers: ofCall, body, signal }: AnyRequest,
  idempotencyKey?: string,
): Promise<Response> {
  const [method, template] = endpoint.split(' ') as [method: string, template: string];
  const init: RequestInit = { method };
  if (signal) init.signal = signal;
  const headers: Record<string, string> = { ...ofCall };
  if (!isAttended()) headers['sillage-background'] = '1';
  if (idempotencyKey) headers['idempotency-key'] = idempotencyKey;
  if (person !== undefined && method !== 'GET') headers['sillage-user'] = person;
  if (body !== undefined) {
    headers['content-type'] = 'application/json';
    init.body = JSON.stringify(body);
  }
  init.headers = headers;
  const response = await fetch(addressOf(template, path, query), init);
  noteRelease(response);
  noteServerTime(response);
  return response;
}

function addressOf(template: string, path: AnyRequest['path'], query: AnyRequest['query']): string {
  const address = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path?.[name] ?? ''));
  const text = queryText(query ?? {});
  return text ? `${address}?${text}` : address;
}

/** The query string of an address. */
export function queryText(query: object): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) params.set(name, String(value));
  }
  return params.toString();
}

let renewal: Promise<boolean> | undefined;
/** How often a renewal was denied. A late answer to a call from before a denial must not renew the ended session again. */
let denials = 0;

/** Whether the session continues. Calls that fail together share one renewal. */
function renew(): Promise<boolean> {
  renewal ??= renewOnce().finally(() => {
    renewal = undefined;
  });
  return renewal;
}

async function renewOnce(): Promise<boolean> {
  const response = await within(LIMIT_MS, undefined, (signal) => send('POST /api/jwt/update', { signal }));
  if (response.ok) return true;
  // Only an explicit denial ends the session; a server error does not.
  if (response.status !== 401) throw await problemOf(response);
  denials += 1;
  sessionEnded();
  return false;
}

let onSessionEnd: (reason: EndReason) => void = () => undefined;

/** Sets the function to call when the server has ended the session. */
export function setSessionEndHandler(handler: (reason: EndReason) => void): void {
  onSessionEnd = handler;
}

export function sessionEnded(reason: EndReason = 'signed_out'): void {
  onSessionEnd(reason);
}
