import { device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { renderApp } from '@test/render-app';
import { showTab } from '@test/visibility';
import { screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { Session } from '@/api/schema.gen';

const TECHNICIAN: Partial<Session> = {
  role: 'OEM::ProlitecCommercial::CspTech',
  roleName: 'CSP Technician',
  csp: 'AirCo',
  can: ['devices.view', 'devices.add'],
};
const OF_OTHERS = device({ dsn: 'AC1', serialNumber: 'S-1', csp: 'Northlight Scents' });
const OWN = device({ dsn: 'AC2', serialNumber: 'S-2', csp: 'AirCo' });

/** The console of a user whose access can be changed with the returned object. */
function openAs(address: string, who: Session) {
  const server = { who };
  const seesAudit = () => server.who.can.includes('audit.view');
  const api = fakeApi({
    'GET /api/session': () => ok(server.who),
    'GET /api/devices': () => ok(deviceList(server.who.csp ? [OWN] : [OF_OTHERS, OWN])),
    'GET /api/devices/dsns/AC1': () => problem(404, 'not_found'),
    'GET /api/audit': () => (seesAudit() ? ok({ entries: [], next: null }) : problem(403, 'forbidden')),
    'GET /api/csps/all': () => ok([]),
  });
  return { server, api, ...renderApp(address) };
}

const endStream = () => FakeEventSource.latest.send('end', { reason: 'access_changed' });

test('lost permissions remove navigation entries and rows from the open page', async () => {
  const { server } = openAs('/devices', session);
  expect(await screen.findByText('S-1')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Audit' })).toBeVisible();
  server.who = { ...session, ...TECHNICIAN };
  endStream();
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Audit' })).not.toBeInTheDocument());
  expect(await screen.findByText('S-2')).toBeVisible();
  expect(screen.queryByText('S-1')).not.toBeInTheDocument();
});

test('losing permission for the open screen shows a notice and keeps the session', async () => {
  const { server, router } = openAs('/audit', session);
  expect(await screen.findByRole('heading', { name: 'Audit' })).toBeVisible();
  server.who = { ...session, ...TECHNICIAN };
  endStream();
  expect(await screen.findByText('You do not have access to that page.')).toBeVisible();
  expect(router.state.location.pathname).toBe('/audit');
  expect(screen.getByRole('navigation', { name: 'Main' })).toBeVisible();
});

test('changes during a connection loss are found after the reconnection', async () => {
  const { server } = openAs('/audit', session);
  expect(await screen.findByRole('heading', { name: 'Audit' })).toBeVisible();
  server.who = { ...session, ...TECHNICIAN };
  FakeEventSource.latest.send('ready');
  expect(await screen.findByText('You do not have access to that page.')).toBeVisible();
});

test('a 403 response reveals a change of access', async () => {
  const { server, router, queryClient } = openAs('/audit', session);
  expect(await screen.findByRole('heading', { name: 'Audit' })).toBeVisible();
  server.who = { ...session, ...TECHNICIAN };
  void queryClient.refetchQueries({ queryKey: ['audit'] });
  expect(await screen.findByText('You do not have access to that page.')).toBeVisible();
  expect(router.state.location.pathname).toBe('/audit');
});

test('a 404 changes nothing while the permissions are the same', async () => {
  const { api } = openAs('/devices/AC1', session);
  expect(await screen.findByText('Device not found')).toBeVisible();
  await waitFor(() => expect(api.count('GET /api/session')).toBe(2));
  expect(api.count('GET /api/devices/dsns/AC1')).toBe(1);
});

test('a user without a role gets the new role when the tab becomes visible', async () => {
  const { server } = openAs('/devices', { ...session, role: null, roleName: null, can: [] });
  await screen.findByRole('heading', { name: 'Devices' });
  expect(FakeEventSource.all).toHaveLength(0);
  server.who = session;
  showTab(false);
  showTab(true);
  expect(await screen.findByRole('link', { name: 'Audit' })).toBeVisible();
  await waitFor(() => expect(FakeEventSource.all).toHaveLength(1));
});
