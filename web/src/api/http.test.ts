// @vitest-environment jsdom
import { fakeApi, ok, problem, session } from '@test/fake-api';
import { expect, test, vi } from 'vitest';
import { forgetUpdate, isUpdated } from '@/browser/release';
import { forgetServerTime, serverTime } from '@/browser/server-clock';
import { watchAttendance } from './attendance';
import { ApiError } from './errors';
import { call, setSessionEndHandler } from './http';
import { retryJob } from './jobs';
import { type Job, READS } from './schema.gen';
import { createSession } from './session';
import { inviteUser } from './user-form';

const denied = () => problem(401, 'not_signed_in');

function endings() {
  const ended = vi.fn();
  setSessionEndHandler(ended);
  return ended;
}

test('calls that get a 401 together share one renewal and are repeated', async () => {
  const ended = endings();
  let renewed = false;
  const api = fakeApi({
    'GET /api/devices': () => (renewed ? ok('answer') : denied()),
    'POST /api/jwt/update': async () => {
      await Promise.resolve();
      renewed = true;
      return ok(session);
    },
  });
  const answers = await Promise.all([1, 2, 3].map(() => call('GET /api/devices')));
  expect(answers).toEqual(['answer', 'answer', 'answer']);
  expect(api.count('POST /api/jwt/update')).toBe(1);
  expect(api.count('GET /api/devices')).toBe(6);
  expect(ended).not.toHaveBeenCalled();
});

test('a renewal that is denied ends the session once and repeats nothing', async () => {
  const ended = endings();
  const api = fakeApi({ 'GET /api/devices': denied, 'POST /api/jwt/update': denied });
  const results = await Promise.allSettled([1, 2].map(() => call('GET /api/devices')));
  expect(results.map((result) => result.status)).toEqual(['rejected', 'rejected']);
  expect(api.count('GET /api/devices')).toBe(2);
  expect(ended).toHaveBeenCalledTimes(1);
});

test('a late 401 of a call from before the denial causes no further renewal', async () => {
  const ended = endings();
  const late = Promise.withResolvers<Response>();
  const api = fakeApi({
    'GET /api/devices': () => late.promise,
    'GET /api/account': denied,
    'POST /api/jwt/update': denied,
  });
  const result = call('GET /api/devices');
  await expect(call('GET /api/account')).rejects.toMatchObject({ status: 401 });
  late.resolve(denied());
  await expect(result).rejects.toMatchObject({ status: 401 });
  expect(api.count('POST /api/jwt/update')).toBe(1);
  expect(ended).toHaveBeenCalledTimes(1);
});

test('a second 401 after the renewal ends the session without a loop', async () => {
  const ended = endings();
  const api = fakeApi({ 'GET /api/devices': denied, 'POST /api/jwt/update': () => ok(session) });
  await expect(call('GET /api/devices')).rejects.toMatchObject({ status: 401 });
  expect(api.calls).toHaveLength(3);
  expect(ended).toHaveBeenCalledTimes(1);
});

test('a server error does not end the session', async () => {
  const ended = endings();
  fakeApi({ 'GET /api/devices': denied, 'POST /api/jwt/update': () => problem(502, 'cloud_failed') });
  await expect(call('GET /api/devices')).rejects.toMatchObject({ status: 502 });
  expect(ended).not.toHaveBeenCalled();
});

test('a wrong password causes no renewal', async () => {
  const api = fakeApi({ 'POST /api/session': () => problem(401, 'sign_in_failed') });
  await expect(createSession({ email: 'a@b.c', password: 'x' })).rejects.toMatchObject({ code: 'sign_in_failed' });
  expect(api.calls).toHaveLength(1);
});

test('an error has the code, text and fields of its problem', async () => {
  fakeApi({
    'PUT /api/account': () =>
      problem(422, 'invalid', { detail: 'Some settings are not valid.', errors: { fan: ['too fast'] } }),
  });
  const error = await call('PUT /api/account', { body: {} }).catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 422, code: 'invalid', fields: { fan: ['too fast'] } });
  expect((error as ApiError).message).toBe('Some settings are not valid.');
});

test.each([
  ['no JSON', () => new Response('<html>', { status: 502 })],
  ['JSON null', () => new Response('null', { status: 502 })],
])('an error of a proxy with %s is still a typed error', async (_, answer) => {
  fakeApi({ 'GET /api/account': answer });
  await expect(call('GET /api/account')).rejects.toMatchObject({ status: 502, code: 'unknown' });
});

test('an unreachable server is status 0', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  await expect(call('GET /api/account')).rejects.toMatchObject({ status: 0, isTransient: true });
});

test('path values are escaped and empty query values omitted', async () => {
  const api = fakeApi({ 'GET /api/devices/dsns/a%2Fb%3F': () => ok(null), 'GET /api/devices': () => ok(null) });
  await call('GET /api/devices/dsns/{dsn}', { path: { dsn: 'a/b?' } });
  expect(api.calls).toHaveLength(1);
  await call('GET /api/devices', { query: { page: 2, dsn: undefined } });
  expect(api.calls[1]?.url.search).toBe('?page=2');
});

test('requests of an unused page are marked, so that they do not keep the session alive', async () => {
  vi.useFakeTimers();
  const page = new EventTarget();
  watchAttendance(page);
  const api = fakeApi({ 'GET /api/devices': () => ok('answer') });
  const isMarked = async () => {
    await call('GET /api/devices');
    return api.calls.at(-1)?.headers.has('sillage-background');
  };
  page.dispatchEvent(new Event('pointerdown'));
  vi.advanceTimersByTime(59_000);
  expect(await isMarked()).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(await isMarked()).toBe(true);
  for (const input of ['keydown', 'wheel', 'touchstart', 'visibilitychange']) {
    vi.advanceTimersByTime(60_000);
    expect(await isMarked()).toBe(true);
    page.dispatchEvent(new Event(input));
    expect(await isMarked()).toBe(false);
  }
  vi.useRealTimers();
});

/** A change of settings, and the keys of those that were sent. */
function submissions(answers: (() => Response | Promise<Response>)[]) {
  const settings = 'PUT /api/devices/dsns/{dsn}/settings';
  const api = fakeApi({
    'PUT /api/devices/dsns/D1/settings': () => (answers.shift() ?? (() => ok(null)))(),
    'POST /api/jwt/update': () => ok(session),
  });
  const submit = (intensity: number) =>
    call(settings, { path: { dsn: 'D1' }, body: { intensity } }).catch((error: unknown) => error);
  const keys = () =>
    api.calls.filter(({ method }) => method === 'PUT').map(({ headers }) => headers.get('idempotency-key'));
  return { submit, keys };
}

const lost = () => Promise.reject(new TypeError('Failed to fetch'));

test('every submission of a write has a key of its own, and reads have none', async () => {
  const { submit, keys } = submissions([]);
  for (const intensity of [30, 30, 40]) await submit(intensity);
  expect(new Set(keys()).size).toBe(3);
  for (const key of keys()) expect(key).toMatch(/^[0-9a-f]{32}$/);
  const path = { dsn: 'D1', id: 'D1' };
  const api = fakeApi({
    'GET /api/devices': () => ok(null),
    'POST /api/session': () => ok(session),
    ...Object.fromEntries(READS.map((read) => [read.replace(/\{\w+\}/, 'D1'), () => ok(null)])),
  });
  await call('GET /api/devices');
  await createSession({ email: 'a@b.c', password: 'x' });
  for (const read of READS) await call(read as 'POST /api/devices/dsns/{dsn}/forecast', { path, body: {} });
  const withoutKey = api.calls.filter(({ headers }) => !headers.has('idempotency-key'));
  expect(withoutKey).toHaveLength(2 + READS.length);
});

test('a write that is repeated after the renewal of the session repeats its key', async () => {
  const { submit, keys } = submissions([denied]);
  await submit(30);
  expect(keys()).toHaveLength(2);
  expect(keys()[0]).toBe(keys()[1]);
});

const broken = () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError('cut')) }));

test.each([
  ['a lost connection', lost],
  ['an answer that breaks off', broken],
  ['an unavailable server', () => problem(503, 'unavailable')],
  ['a proxy that gave up', () => new Response('<html>', { status: 504 })],
  ['a first request that is still under way', () => problem(409, 'in_progress')],
  ['too many requests', () => problem(429, 'too_many_requests')],
])('a press repeated after %s has one key, and other input between two presses makes them two', async (_, answer) => {
  const { submit, keys } = submissions([answer, answer]);
  for (const intensity of [20, 20, 20]) await submit(intensity);
  const [first, again, next] = keys();
  expect(again).toBe(first);
  expect(next).toBe(first);
  const others = submissions([answer]);
  for (const intensity of [30, 40, 30]) await others.submit(intensity);
  expect(new Set(others.keys()).size).toBe(3);
});

/** Each kind of write, and another write to the same thing. */
const D1 = { path: { dsn: 'D1' } };
const ONE = { path: { id: '1' } };
const settings = (body: object) => call('PUT /api/devices/dsns/{dsn}/settings', { ...D1, body });
const acknowledge = (acknowledged: boolean) =>
  call('POST /api/attention/update', { body: { ids: ['1'], acknowledged } });
const WRITES: [kind: string, write: () => Promise<unknown>, other: () => Promise<unknown>][] = [
  ['settings', () => settings({ intensity: 31 }), () => settings({ intensity: 32 })],
  ['the mode', () => settings({ mode: 4 }), () => settings({ mode: 0 })],
  [
    'a schedule',
    () => call('PUT /api/devices/dsns/{dsn}/schedule', { ...D1, body: { frames: [] } }),
    () => call('PUT /api/devices/dsns/{dsn}/schedule', { ...D1, body: { frames: [], seen: {} } }),
  ],
  [
    'the labels of a device',
    () => call('PUT /api/devices/dsns/{dsn}', { ...D1, body: { customer: 'A' } }),
    () => call('PUT /api/devices/dsns/{dsn}', { ...D1, body: { customer: 'B' } }),
  ],
  [
    'a level',
    () => call('POST /api/devices/dsns/{dsn}/fragrance-level/reset', D1),
    () => call('POST /api/devices/dsns/{dsn}/fragrance-level/resets/{id}/undo', { path: { dsn: 'D1', id: '1' } }),
  ],
  [
    'a notification',
    () => call('DELETE /api/devices/dsns/{dsn}/notifications/{id}', { path: { dsn: 'D1', id: '1' } }),
    () => settings({ fan: 1 }),
  ],
  [
    'a copy to other devices',
    () => call('POST /api/devices/dsns/{dsn}/copy', { path: { dsn: 'D0' }, body: { dsns: ['D1'] } as never }),
    () => settings({ intensity: 32 }),
  ],
  ['settings that a job writes', () => settings({ intensity: 31 }), () => call('POST /api/jobs/{id}/undo', ONE)],
  ['the retry of a job', () => call('POST /api/jobs/{id}/retry', ONE), () => call('POST /api/jobs/{id}/cancel', ONE)],
  ['the cancel of a job', () => call('POST /api/jobs/{id}/cancel', ONE), () => call('POST /api/jobs/{id}/retry', ONE)],
  ['an acknowledgement', () => acknowledge(true), () => acknowledge(false)],
  [
    'thresholds',
    () => call('PUT /api/attention/settings', { body: { offlineMinutes: 30 } as never }),
    () => call('PUT /api/attention/settings', { body: { offlineMinutes: 45 } as never }),
  ],
  [
    'a CSP',
    () => call('PUT /api/csps/{id}', { ...ONE, body: { name: 'A' } }),
    () => call('PUT /api/csps/{id}', { ...ONE, body: { name: 'B' } }),
  ],
  [
    'a new CSP',
    () => call('POST /api/csps', { body: { name: 'A' }, hasDraft: true }),
    () => call('POST /api/csps', { body: { name: 'B' }, hasDraft: true }),
  ],
  [
    'a user',
    () => call('PUT /api/users/{id}', { ...ONE, body: { firstname: 'A' } }),
    () => call('DELETE /api/users/{id}/second-factor', ONE),
  ],
  [
    'the profile',
    () => call('PUT /api/account', { body: { firstname: 'A' } }),
    () => call('PUT /api/account', { body: { firstname: 'B' } }),
  ],
  [
    'the digest',
    () => call('PUT /api/account/digest', { body: { hour: 7, timeZone: 'UTC' } }),
    () => call('DELETE /api/account/digest'),
  ],
];

test.each(WRITES)('%s: a press repeated after a lost answer has one key', async (_, write) => {
  const keys = loseAll();
  for (const press of [write, write]) await press().catch(() => undefined);
  expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
});

test.each(WRITES)('%s: two presses with another write between them have two keys', async (_, write, other) => {
  const keys = loseAll();
  for (const press of [write, other, write]) await press().catch(() => undefined);
  expect(keys).toHaveLength(3);
  expect(new Set(keys).size).toBe(3);
});

/** Loses the answer of every request. Returns their keys. */
function loseAll(): (string | null)[] {
  const keys: (string | null)[] = [];
  vi.stubGlobal('fetch', (_: string, init: RequestInit) => {
    keys.push(new Headers(init.headers).get('idempotency-key'));
    return lost();
  });
  return keys;
}

test('a write to another thing leaves the key of a submission alone', async () => {
  const keys = loseAll();
  const write = (dsn: string) =>
    call('PUT /api/devices/dsns/{dsn}/settings', { path: { dsn }, body: { intensity: 1 } }).catch(() => undefined);
  for (const dsn of ['D10', 'D11', 'D1', 'D10']) await write(dsn);
  expect(keys[3]).toBe(keys[0]);
});

test('the retry of a job that failed again is another press', async () => {
  const keys = loseAll();
  const retry = (endedAt: string) => retryJob({ id: '2', endedAt } as Job).catch(() => undefined);
  for (const endedAt of ['12:00', '12:00', '12:05']) await retry(endedAt);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
});

test.each([
  ['invalid input', () => problem(422, 'invalid')],
  ['a conflict', () => problem(409, 'conflict')],
])('a submission that was answered with %s has ended', async (_, answer) => {
  const { submit, keys } = submissions([answer]);
  for (const intensity of [30, 30]) await submit(intensity);
  expect(keys()[1]).not.toBe(keys()[0]);
});

/** The submissions of a form with a draft, before and after the page is loaded again. */
async function reloadedForm(answer: (key: string | null, name: string) => Response | Promise<Response>) {
  const sent: [name: string, key: string | null][] = [];
  fakeApi({
    'POST /api/csps': ({ body, headers }) => {
      const { name } = body as { name: string };
      sent.push([name, headers.get('idempotency-key')]);
      return sent.length === 1 ? lost() : answer(headers.get('idempotency-key'), name);
    },
  });
  const load = async () => {
    vi.resetModules();
    return await import('./csps');
  };
  await (await load()).createCsp({ name: 'Thirty' }).catch(() => undefined);
  const { createCsp } = await load();
  return { sent, submit: (name: string) => createCsp({ name }) };
}

test('a submission of a form with a draft keeps its key when the page is loaded again', async () => {
  const { sent, submit } = await reloadedForm(() => ok(null));
  for (const name of ['Thirty', 'Thirty']) await submit(name);
  const [first, again, next] = sent.map(([, key]) => key);
  expect(again).toBe(first);
  expect(next).not.toBe(first);
});

test('other input after the page was loaded again is another submission', async () => {
  let first: string | null = null;
  const { sent, submit } = await reloadedForm((key, name) => {
    first ??= key;
    return key === first && name !== 'Thirty' ? problem(422, 'key_reused') : ok(null);
  });
  for (const name of ['Forty', 'Thirty']) await submit(name);
  expect(sent.map(([name]) => name)).toEqual(['Thirty', 'Forty', 'Forty', 'Thirty']);
  const [before, refused, carriedOut, next] = sent.map(([, key]) => key);
  expect(refused).toBe(before);
  expect(new Set([before, carriedOut, next]).size).toBe(3);
});

test('a submission without a draft is a new one when the page is loaded again', async () => {
  const { submit, keys } = submissions([lost]);
  await submit(30);
  vi.resetModules();
  const { call } = await import('./http');
  for (const intensity of [40, 30]) {
    await call('PUT /api/devices/dsns/{dsn}/settings', { path: { dsn: 'D1' }, body: { intensity } });
  }
  expect(new Set(keys()).size).toBe(3);
});

test('nothing of what was submitted is stored in the browser', async () => {
  loseAll();
  await inviteUser({ email: 'rosalind@example.com', password: 'Secret-1234' }).catch(() => undefined);
  const [stored, ...others] = Object.values({ ...sessionStorage });
  expect(others).toEqual([]);
  const { key } = JSON.parse(stored ?? '');
  expect(JSON.parse(stored ?? '')).toEqual({
    key: expect.stringMatching(/^[0-9a-f]{32}$/),
    startedAt: expect.any(Number),
    target: 'POST /api/users',
    resource: '/api/users',
  });
  expect(Object.keys({ ...sessionStorage })).toEqual([`submission:${key}`]);
});

test('the same input a quarter of an hour after a lost connection is a new submission', async () => {
  vi.useFakeTimers();
  const { submit, keys } = submissions([lost]);
  await submit(30);
  vi.advanceTimersByTime(15 * 60_000);
  await submit(30);
  expect(keys()[1]).not.toBe(keys()[0]);
  vi.useRealTimers();
});

test('a request without an answer fails after a minute as an unreachable server', async () => {
  vi.useFakeTimers();
  vi.stubGlobal('fetch', (_: string, { signal }: RequestInit) => {
    return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
  });
  const answer = expect(call('GET /api/devices')).rejects.toMatchObject({ status: 0, code: 'network' });
  await vi.advanceTimersByTimeAsync(60_000);
  await answer;
  vi.useRealTimers();
});

test('a response that breaks off is an unreachable server', async () => {
  const broken = new Response('{', { headers: { 'content-type': 'application/json' } });
  broken.json = () => Promise.reject(new TypeError('network error'));
  fakeApi({ 'GET /api/devices': () => broken });
  await expect(call('GET /api/devices')).rejects.toMatchObject({ status: 0, code: 'network' });
});

test('responses name the release and the time of the server', async () => {
  document.head.innerHTML = '<meta name="app-version" content="1.0-a">';
  const answer = (release: string, ms: number) =>
    new Response('{}', { headers: { 'x-app-version': release, date: new Date(Date.now() + ms).toUTCString() } });
  const answers = [answer('1.0-a', 0), answer('1.1-b', 300_000)];
  fakeApi({ 'GET /api/devices': () => answers.shift() ?? ok('answer') });
  await call('GET /api/devices');
  expect(isUpdated()).toBe(false);
  await call('GET /api/devices');
  expect(isUpdated()).toBe(true);
  const ahead = serverTime(new Date()).getTime() - Date.now();
  expect(ahead).toBeGreaterThan(290_000);
  expect(ahead).toBeLessThanOrEqual(300_000);
  forgetUpdate();
  forgetServerTime();
});
