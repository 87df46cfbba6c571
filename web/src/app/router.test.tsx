import { device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { renderApp } from '@test/render-app';
import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { createQueryClient } from '@/api/query-client';
import { ROUTES } from './paths';
import { createAppRouter } from './router';

test('ROUTES lists exactly the paths that the router knows', () => {
  const router = createAppRouter(createQueryClient());
  expect(Object.keys(router.routesByPath).sort()).toEqual(ROUTES.map((route) => route.path).sort());
});

test.each(ROUTES.filter((route) => route.access === 'signed-in'))(
  '$path sends signed-out people to /signin',
  async ({ path }) => {
    fakeApi({ 'GET /api/session': () => ok(null) });
    const { router } = renderApp(path.replace('$dsn', 'AC1'));
    expect(await screen.findByRole('button', { name: 'Sign in' })).toBeVisible();
    expect(router.state.location.pathname).toBe('/signin');
  },
);

test('signing in leads to the requested page', async () => {
  fakeApi({
    'GET /api/session': () => ok(null),
    'POST /api/session': () => ok(session),
    'GET /api/devices': () => ok(deviceList([device()])),
  });
  const { router } = renderApp('/devices?page=2&dsn=123');
  await userEvent.type(await screen.findByLabelText('Email'), 'dana@example.com');
  await userEvent.type(screen.getByLabelText('Password'), 'secret');
  await userEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
  expect(router.state.location.href).toBe('/devices?page=2&dsn=123');
  expect(document.title).toBe('Sillage - Devices: 123');
});

test('/ leads to the devices or to sign-in', async () => {
  fakeApi({ 'GET /api/session': () => ok(session), 'GET /api/devices': () => ok(deviceList([])) });
  const { router } = renderApp('/');
  await screen.findByRole('heading', { name: 'Devices' });
  expect(router.state.location.pathname).toBe('/devices');
});

test('/signout ends the session and leads to sign-in', async () => {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'DELETE /api/session': () => new Response(null, { status: 204 }),
  });
  const { router } = renderApp('/signout');
  expect(await screen.findByLabelText('Email')).toBeVisible();
  expect(router.state.location.pathname).toBe('/signin');
  expect(api.count('DELETE /api/session')).toBe(1);
});

test('signing out aborts the reads in progress first, because the server would refuse them', async () => {
  let isAborted = false;
  fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices': ({ signal }) =>
      new Promise(() => {
        signal?.addEventListener('abort', () => {
          isAborted = true;
        });
      }),
    'DELETE /api/session': () => {
      expect(isAborted).toBe(true);
      return new Response(null, { status: 204 });
    },
  });
  const { router } = renderApp('/devices');
  await screen.findByRole('heading', { name: 'Devices' });
  await act(() => router.navigate({ to: '/signout' }));
  expect(await screen.findByLabelText('Email')).toBeVisible();
});

test('the end of the session leads to sign-in, and signing in leads back', async () => {
  let signedIn = true;
  const denied = () => problem(401, 'not_signed_in');
  fakeApi({
    'GET /api/session': () => ok(signedIn ? session : null),
    'DELETE /api/session': () => new Response(null, { status: 204 }),
    'POST /api/jwt/update': denied,
    'GET /api/devices': () => (signedIn ? ok(deviceList([device()])) : denied()),
  });
  const { router } = renderApp('/devices?page_size=25');
  await screen.findByText('PL-20310');
  signedIn = false;
  FakeEventSource.latest.send('end', { reason: 'signed_out' });
  expect(await screen.findByLabelText('Email')).toBeVisible();
  expect(router.state.location.pathname).toBe('/signin');
  expect(sessionStorage.getItem('return-url')).toBe('/devices?page_size=25');
});

test('a session that cannot be read is an error with a retry, not a sign-out', async () => {
  let reachable = false;
  fakeApi({
    'GET /api/session': () => (reachable ? ok(session) : problem(500, 'internal', { detail: 'Out of order' })),
    'GET /api/devices': () => ok(deviceList([])),
  });
  renderApp('/devices');
  expect(await screen.findByText('Out of order')).toBeVisible();
  reachable = true;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
});

test('an unreachable server does not sign the user out: the address is kept and the page reports the failure', async () => {
  vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  fakeApi({
    'GET /api/session': () => {
      throw new TypeError('Failed to fetch');
    },
  });
  const { router } = renderApp('/devices/AC1?tab=2');
  expect(await screen.findByRole('heading', { name: 'No connection' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Retry' })).toBeVisible();
  expect(router.state.location.href).toBe('/devices/AC1?tab=2');
  expect(sessionStorage.getItem('return-url')).toBeNull();
  expect(document.title).toBe('Sillage - No connection');
});

test('an unknown address shows the not-found page', async () => {
  fakeApi({});
  renderApp('/devices/AC1/nothing');
  expect(await screen.findByRole('heading', { name: 'Page not found' })).toBeVisible();
  await waitFor(() => expect(document.title).toBe('Sillage - Page not found'));
});

test('a link without rights is answered inside the application, at its address, with the way back', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  fakeApi({
    'GET /api/session': () => ok({ ...session, can: ['devices.view'] }),
    'GET /api/devices': () => ok(deviceList([])),
  });
  const { router } = renderApp('/devices');
  await screen.findByRole('heading', { name: 'Devices' });
  void router.navigate({ to: '/csps/add' });
  expect(await screen.findByRole('heading', { name: 'You do not have access to that page.' })).toBeVisible();
  expect(router.state.location.pathname).toBe('/csps/add');
  expect(screen.getByRole('navigation', { name: 'Main' })).toBeVisible();
  expect(document.title).toBe('Sillage - No access');
  await userEvent.click(screen.getByRole('button', { name: 'Back' }));
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
});

test.each([
  [
    '/devices?connectionstatus=Broken&color=red&csp=North&page=x&order=up&q=',
    'Status (its value is not valid here), color (unknown), csp (not available to you)',
  ],
  ['/users?role=x&confirmed=maybe&csp=North', 'Confirmed (its value is not valid here), csp (not available to you)'],
  ['/attention?state=odd&csp=North&dsn=AC1', 'State (its value is not valid here), csp (not available to you)'],
  ['/audit?from=yesterday&who=me', 'From day (its value is not valid here), who (unknown)'],
  [
    '/fleet?days=28&csp=North&customer=A&fragrance=B',
    'csp (not available to you), Fragrance (its value is not valid here)',
  ],
])('the ignored filters of %s are named, until another is chosen', async (address, names) => {
  fakeApi({
    'GET /api/session': () =>
      ok({ ...session, csp: 'AirCo', can: ['devices.view', 'users.view', 'attention.view', 'audit.view'] }),
  });
  const { router } = renderApp(address);
  expect(await screen.findByText(`Ignored in this link: ${names}.`)).toBeVisible();
  await router.navigate({ to: '/devices', search: { q: 'Juniper' } });
  expect(await screen.findByRole('searchbox')).toHaveValue('Juniper');
  expect(screen.queryByText(/^Ignored/)).not.toBeInTheDocument();
  expect(document.title).toBe('Sillage - Devices: Juniper');
});
