// @vitest-environment jsdom
import { fakeApi, ok, problem, session } from '@test/fake-api';
import { expect, test, vi } from 'vitest';
import { watchAttendance } from './attendance';
import { ApiError } from './errors';
import { call, setSessionEndHandler } from './http';
import { createSession } from './session';

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

test('every submission of a write has a key of its own, and reads have none', async () => {
  const { submit, keys } = submissions([]);
  for (const intensity of [30, 30, 40]) await submit(intensity);
  expect(new Set(keys()).size).toBe(3);
  for (const key of keys()) expect(key).toMatch(/^[0-9a-f]{32}$/);
  const api = fakeApi({ 'GET /api/devices': () => ok(null), 'POST /api/session': () => ok(session) });
  await call('GET /api/devices');
  await createSession({ email: 'a@b.c', password: 'x' });
  expect(api.calls.map(({ headers }) => headers.get('idempotency-key'))).toEqual([null, null]);
});

test('a write that is repeated after the renewal of the session repeats its key', async () => {
  const { submit, keys } = submissions([denied]);
  await submit(30);
  expect(keys()).toHaveLength(2);
  expect(keys()[0]).toBe(keys()[1]);
});

const broken = () => new Response(new ReadableStream({ start: (body) => body.error(new TypeError('cut')) }));

test.each([
  ['a lost connection', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['an answer that breaks off', broken],
  ['an unavailable server', () => problem(503, 'unavailable')],
  ['a proxy that gave up', () => new Response('<html>', { status: 504 })],
  ['a first request that is still under way', () => problem(409, 'in_progress')],
  ['too many requests', () => problem(429, 'too_many_requests')],
])('the same input submitted again after %s repeats the key, and other input does not', async (_, answer) => {
  const { submit, keys } = submissions([answer, answer]);
  for (const intensity of [30, 40, 30, 30]) await submit(intensity);
  const [first, other, again, next] = keys();
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(next).not.toBe(first);
});

test.each([
  ['invalid input', () => problem(422, 'invalid')],
  ['a conflict', () => problem(409, 'conflict')],
])('a submission that was answered with %s has ended', async (_, answer) => {
  const { submit, keys } = submissions([answer]);
  for (const intensity of [30, 30]) await submit(intensity);
  expect(keys()[1]).not.toBe(keys()[0]);
});

test('a submission without an answer keeps its key when the page is loaded again', async () => {
  const { submit, keys } = submissions([() => Promise.reject(new TypeError('Failed to fetch'))]);
  await submit(30);
  vi.resetModules();
  const { call } = await import('./http');
  for (const intensity of [40, 30, 30]) {
    await call('PUT /api/devices/dsns/{dsn}/settings', { path: { dsn: 'D1' }, body: { intensity } });
  }
  const [first, other, again, next] = keys();
  expect(again).toBe(first);
  expect(other).not.toBe(first);
  expect(next).not.toBe(first);
});

test('a stored submission does not contain its input', async () => {
  fakeApi({ 'PUT /api/account': () => Promise.reject(new TypeError('Failed to fetch')) });
  await call('PUT /api/account', { body: { firstname: 'Rosalind' } }).catch(() => undefined);
  expect(JSON.stringify({ ...sessionStorage })).toContain('submission:');
  expect(JSON.stringify({ ...sessionStorage })).not.toContain('Rosalind');
});

test('the same input a quarter of an hour after a lost connection is a new submission', async () => {
  vi.useFakeTimers();
  const { submit, keys } = submissions([() => Promise.reject(new TypeError('Failed to fetch'))]);
  await submit(30);
  vi.advanceTimersByTime(15 * 60_000);
  await submit(30);
  expect(keys()[1]).not.toBe(keys()[0]);
  vi.useRealTimers();
});
