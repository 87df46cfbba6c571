import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { AccountSession } from '@/api/schema.gen';

const here: AccountSession = {
  id: 'here',
  current: true,
  createdAt: '2026-11-20T15:41:00Z',
  lastUsedAt: '2026-11-20T15:41:00Z',
  address: '192.0.2.7',
  browser: 'Chrome on Windows',
};
const phone: AccountSession = { ...here, id: 'phone', current: false, browser: null, address: '198.51.100.4' };

function open(address: string, handlers: Record<string, (call: Call) => Response> = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/account': () => ok({}),
    'GET /api/account/sessions': () => ok([here, phone]),
    ...handlers,
  });
  return { api, ...renderApp(address) };
}

test('each session shows browser and address, and the current one cannot be ended', async () => {
  open('/account?tab=sessions');
  const [own, other] = await screen.findAllByRole('listitem');
  if (!own || !other) throw new Error('two sessions');
  expect(own).toHaveTextContent(/^Chrome on Windows192.0.2.7Signed in Nov 20, 2026, .*Last used .*This session$/);
  expect(within(own).queryByRole('button')).not.toBeInTheDocument();
  expect(within(other).getByText('Unknown browser')).toBeVisible();
  expect(within(other).getByRole('button', { name: 'End the session of Unknown browser, 198.51.100.4' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Sign Out' })).toHaveAttribute('href', '/signout');
});

test('ending one session keeps the others', async () => {
  let left = [here, phone];
  const { api } = open('/account?tab=sessions', {
    'GET /api/account/sessions': () => ok(left),
    'DELETE /api/account/sessions/phone': () => {
      left = [here];
      return new Response(null, { status: 204 });
    },
  });
  await userEvent.click(await screen.findByRole('button', { name: /^End the session/ }));
  expect(await screen.findByText('Successfully ended session')).toBeVisible();
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
  expect(api.count('DELETE /api/account/sessions/phone')).toBe(1);
  expect(screen.queryByRole('button', { name: 'End all other sessions' })).not.toBeInTheDocument();
});

test('a session that has ended meanwhile is announced and removed', async () => {
  let left = [here, phone];
  open('/account?tab=sessions', {
    'GET /api/account/sessions': () => ok(left),
    'DELETE /api/account/sessions/phone': () => {
      left = [here];
      return problem(404, 'not_found', { detail: 'There is no such thing here.' });
    },
  });
  await userEvent.click(await screen.findByRole('button', { name: /^End the session/ }));
  expect(await screen.findByText('Failed to end session. There is no such thing here.')).toBeVisible();
  await waitFor(() => expect(screen.getAllByRole('listitem')).toHaveLength(1));
});

test('sessions that cannot be read can be retried', async () => {
  let fails = true;
  open('/account?tab=sessions', { 'GET /api/account/sessions': () => (fails ? problem(500, 'internal') : ok([here])) });
  expect(await screen.findByText('Failed to load your sessions')).toBeVisible();
  fails = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('This session')).toBeVisible();
});

test('the time format is saved when it is chosen, and every time follows', async () => {
  const { api, router } = open('/account?tab=time-format', {
    'PUT /api/account/preferences': ({ body }) => ok(body),
  });
  expect(await screen.findByText(/^It is .*\d:\d\d\s[AP]M\.$/)).toBeVisible();
  await userEvent.click(screen.getByRole('radio', { name: '24-hour' }));
  expect(await screen.findByText('Successfully updated time format')).toBeVisible();
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({ timeFormat: '24hour' });
  expect(await screen.findByText(/^It is \w+ \d+, \d+, \d\d:\d\d\.$/)).toBeVisible();
  await userEvent.click(screen.getByRole('tab', { name: 'Sessions' }));
  expect((await screen.findAllByText(/^Signed in Nov 20, 2026, \d\d:\d\d$/))[0]).toBeVisible();
  expect(router.state.location.href).toBe('/account?tab=sessions');
});

test('until a format is chosen, times follow the language of the browser', async () => {
  vi.spyOn(navigator, 'language', 'get').mockReturnValue('en-GB');
  open('/account?tab=time-format', { 'GET /api/session': () => ok({ ...session, timeFormat: null }) });
  expect(await screen.findByText(/^It is \d+ \w+ \d+, \d\d:\d\d\.$/)).toBeVisible();
  expect(screen.getByRole('radio', { name: '24-hour' })).toBeChecked();
});

test('a failed save keeps the previous time format', async () => {
  open('/account?tab=time-format', { 'PUT /api/account/preferences': () => problem(500, 'internal') });
  await userEvent.click(await screen.findByRole('radio', { name: '24-hour' }));
  expect(await screen.findByText('Failed to save time format')).toBeVisible();
  expect(screen.getByRole('radio', { name: '12-hour' })).toBeChecked();
});

test('the time format is part of the session, so that no time is first shown in another format', async () => {
  open('/account?tab=sessions', { 'GET /api/session': () => ok({ ...session, timeFormat: '24hour' }) });
  expect((await screen.findAllByText(/^Signed in Nov 20, 2026, \d\d:\d\d$/))[0]).toBeVisible();
});
