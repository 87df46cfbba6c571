import { type Call, deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { auditEntry, auditPage } from '@test/fake-audit';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { dayEnd, dayStart } from '@/lib/days';

function open(address: string, answer: (call: Call) => Response, who = session) {
  const api = fakeApi({
    'GET /api/session': () => ok(who),
    'GET /api/audit': answer,
    'GET /api/devices/dsns/AC000W510000001': () => ok(deviceDetail()),
    'DELETE /api/session': () => new Response(null, { status: 204 }),
  });
  return { api, ...renderApp(address) };
}

const queryOf = (call: Call | undefined) => Object.fromEntries(call?.url.searchParams ?? []);

test('a change says who, what, from where and how it ended', async () => {
  open('/audit', () => ok(auditPage([auditEntry()])));
  const [, row] = await screen.findAllByRole('row');
  if (!row) throw new Error('no row');
  for (const text of [
    'tech@example.com',
    'CSP Technician, North',
    'Safari on iPhone, 192.0.2.7',
    'Changed settings',
    'Done',
  ]) {
    expect(within(row).getByText(text)).toBeVisible();
  }
  expect(within(row).getByRole('listitem')).toHaveTextContent('Intensity 20 → becomes 35');
  expect(within(row).getByRole('link')).toHaveAttribute('href', '/devices/AC000W510000001');
});

test('somebody who was changed by another person is a link, but not who only signed in, or was never made', async () => {
  const own = auditEntry().actor.userId ?? '';
  const of = (id: string) => auditEntry({ id: `entry of ${id}`, target: { kind: 'user', id, csp: 'North' } });
  open('/audit', () => ok(auditPage([of('5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11'), of(own), of('')])));
  const links = await screen.findAllByRole('link', { name: 'User' });
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/users/5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11']);
});

test('what was not saved and what nobody knows the end of is said', async () => {
  const change = { field: 'fan', before: 1, after: 5 };
  open('/audit', () =>
    ok(
      auditPage([
        auditEntry({ id: '1', result: 'failed', code: 'cloud_failed', changes: [{ ...change, saved: false }] }),
        auditEntry({ id: '2', result: 'started', endedAt: null, changes: [{ ...change, saved: null }] }),
      ]),
    ),
  );
  expect(await screen.findByText('Failed (cloud_failed)')).toBeVisible();
  expect(screen.getByText('(not saved)')).toBeVisible();
  expect(screen.getByText('Started, outcome unknown')).toBeVisible();
});

test('the URL is the filter, in whole days of the reader', async () => {
  const { api } = open('/audit?target=SC-1&operation=update_device&from=2026-11-01&to=2026-11-02&actor=&page=7', () =>
    ok(auditPage([])),
  );
  expect(await screen.findByText('No change matches the filters.')).toBeVisible();
  expect(queryOf(api.calls.find((call) => call.url.pathname === '/api/audit'))).toEqual({
    target: 'SC-1',
    operation: 'update_device',
    from: dayStart('2026-11-01').toISOString(),
    to: dayEnd('2026-11-02').toISOString(),
  });
  expect(screen.getByRole('button', { name: 'Remove filter Kind of change Edited device' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Remove filter From day Nov 1, 2026' })).toBeVisible();
});

test('a URL that makes no sense filters nothing', async () => {
  const { api } = open('/audit?operation=format_disk&from=yesterday&to=2026-02-99', () => ok(auditPage([])));
  expect(await screen.findByText('What people change appears here.')).toBeVisible();
  expect(queryOf(api.calls.find((call) => call.url.pathname === '/api/audit'))).toEqual({});
});

test('filters of the dialog go into the URL', async () => {
  const { router } = open('/audit', () => ok(auditPage([auditEntry()])));
  await userEvent.click(await screen.findByRole('button', { name: 'Filter' }));
  await userEvent.type(await screen.findByLabelText('Email of who changed it'), 'Tech@example.com');
  await userEvent.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/audit?actor=Tech%40example.com'));
});

test('older changes are added below, and a failure to read them can be retried', async () => {
  let fails = true;
  open('/audit', ({ url }) => {
    if (!url.searchParams.has('before')) return ok(auditPage([auditEntry({ id: 'new' })], 'new'));
    expect(url.searchParams.get('before')).toBe('new');
    return fails ? problem(500, 'internal') : ok(auditPage([auditEntry({ id: 'old', operation: 'create_device' })]));
  });
  await userEvent.click(await screen.findByRole('button', { name: 'Show older' }));
  expect(await screen.findByText('Failed to load older changes')).toBeVisible();
  fails = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('Added device')).toBeVisible();
  expect(screen.getByText('Changed settings')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Show older' })).not.toBeInTheDocument();
});

test('changes that cannot be read say so and can be retried', async () => {
  let fails = true;
  open('/audit', () => (fails ? problem(500, 'internal', { detail: 'Out of order' }) : ok(auditPage([auditEntry()]))));
  expect(await screen.findByText('Failed to load changes')).toBeVisible();
  fails = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('Changed settings')).toBeVisible();
});

test('who may not see changes is not offered them, and asks for none', async () => {
  const { api, router } = open('/audit', () => problem(403, 'forbidden'), { ...session, can: ['devices.view'] });
  expect(await screen.findByText('You do not have access to that page.')).toBeVisible();
  expect(router.state.location.pathname).toBe('/signin');
  await router.navigate({ to: '/devices/$dsn', params: { dsn: 'AC000W510000001' } });
  expect(await screen.findByRole('heading', { name: 'PL-20310' })).toBeVisible();
  expect(screen.queryByRole('link', { name: 'Audit' })).not.toBeInTheDocument();
  expect(screen.queryByRole('heading', { name: 'Changes' })).not.toBeInTheDocument();
  expect(api.count('GET /api/audit')).toBe(0);
});

test('the page of a device tells its latest changes', async () => {
  const { api } = open('/devices/AC000W510000001', () => ok(auditPage([auditEntry()])));
  const block = await screen.findByRole('region', { name: 'Changes' });
  expect(await within(block).findByText('Changed settings')).toBeVisible();
  expect(queryOf(api.calls.find((call) => call.url.pathname === '/api/audit'))).toEqual({
    target: 'AC000W510000001',
    limit: '5',
  });
  expect(within(block).getByRole('link', { name: 'Show all' })).toHaveAttribute(
    'href',
    '/audit?target=AC000W510000001',
  );
});
