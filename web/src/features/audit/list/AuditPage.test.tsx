import { type Call, deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { auditEntry, auditPage } from '@test/fake-audit';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { dayEnd, dayStart } from '@/browser/days';

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

test('a change shows actor, operation, origin and result', async () => {
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

test('a changed user is a link, except after a sign-in or a failed invitation', async () => {
  const own = auditEntry().actor.userId ?? '';
  const of = (id: string) => auditEntry({ id: `entry of ${id}`, target: { kind: 'user', id, csp: 'North' } });
  open('/audit', () => ok(auditPage([of('5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11'), of(own), of('')])));
  const links = await screen.findAllByRole('link', { name: 'User' });
  expect(links.map((link) => link.getAttribute('href'))).toEqual(['/users/5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11']);
});

test('failed changes and those with an unknown result are marked', async () => {
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

test("the request follows the filters of the URL, in whole days of the user's time zone", async () => {
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

test('the report has the filters of the page, and the changes of jobs', async () => {
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:1');
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/audit': () => ok(auditPage([auditEntry()])),
    'GET /api/audit/report': () => new Response('file'),
  });
  renderApp('/audit?actor=tech%40example.com&from=2026-11-01');
  for (const [label, type] of [
    ['JSON', 'json'],
    ['CSV', 'csv'],
  ] as const) {
    await userEvent.click(await screen.findByRole('button', { name: 'Report' }));
    await userEvent.click(await screen.findByRole('radio', { name: new RegExp(`^${label}`) }));
    await userEvent.click(screen.getByRole('button', { name: 'Generate' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    expect(saved.at(-1)).toMatch(new RegExp(`^audit-nov-1-2026-\\d{4}-\\d\\d-\\d\\d\\.${type}$`));
    expect(queryOf(api.calls.findLast((call) => call.url.pathname === '/api/audit/report'))).toEqual({
      actor: 'tech@example.com',
      from: dayStart('2026-11-01').toISOString(),
      type,
    });
  }
});

test('invalid values in the URL do not filter', async () => {
  const { api } = open('/audit?operation=format_disk&from=yesterday&to=2026-02-99', () => ok(auditPage([])));
  expect(await screen.findByText('Changes appear here once they are made.')).toBeVisible();
  expect(queryOf(api.calls.find((call) => call.url.pathname === '/api/audit'))).toEqual({ foldJobs: 'true' });
});

test('filters of the dialog are written to the URL', async () => {
  const { router } = open('/audit', () => ok(auditPage([auditEntry()])));
  await userEvent.click(await screen.findByRole('button', { name: 'Filter' }));
  await userEvent.type(await screen.findByLabelText('Changed by (email)'), 'Tech@example.com');
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

test('a failed read of the changes is reported and can be retried', async () => {
  let fails = true;
  open('/audit', () => (fails ? problem(500, 'internal', { detail: 'Out of order' }) : ok(auditPage([auditEntry()]))));
  expect(await screen.findByText('Failed to load changes')).toBeVisible();
  fails = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('Changed settings')).toBeVisible();
});

test('users without audit.view see no link and send no request', async () => {
  const { api, router } = open('/audit', () => problem(403, 'forbidden'), { ...session, can: ['devices.view'] });
  expect(await screen.findByText('You do not have access to that page.')).toBeVisible();
  expect(router.state.location.pathname).toBe('/audit');
  await router.navigate({ to: '/devices/$dsn', params: { dsn: 'AC000W510000001' } });
  expect(await screen.findByRole('heading', { name: 'PL-20310' })).toBeVisible();
  expect(screen.queryByRole('link', { name: 'Audit' })).not.toBeInTheDocument();
  expect(screen.queryByRole('heading', { name: 'Changes' })).not.toBeInTheDocument();
  expect(api.count('GET /api/audit')).toBe(0);
});

test('the device page shows its latest changes', async () => {
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

const JOB = '019aa000-0000-7000-8000-00000000000a';
const dsnOf = (number: number) => `AC000W51000000${number}`;

/** A change that a job made to a device. */
const made = (number: number, part: Parameters<typeof auditEntry>[0] = {}) =>
  auditEntry({
    id: `change ${number}`,
    operation: 'assign_csp',
    target: { kind: 'device', id: dsnOf(number), csp: 'North' },
    changes: [{ field: 'csp', before: 'South', after: 'North', saved: true }],
    job: JOB,
    ...part,
  });

/** The change that started the job. */
const started = auditEntry({
  id: 'start',
  operation: 'assign_csp',
  target: { kind: 'job', id: JOB, csp: null },
  changes: [
    { field: 'csp', before: null, after: 'North', saved: true },
    { field: 'devices', before: null, after: 2501, saved: true },
  ],
  job: JOB,
});

test('the changes of a job are grouped in the row that started it, and read when expanded by keyboard', async () => {
  const { api } = open('/audit', ({ url }) =>
    ok(
      auditPage(
        url.searchParams.has('job')
          ? [made(12), made(11, { result: 'failed', code: 'cloud_failed' }), started]
          : [started],
      ),
    ),
  );
  const toggle = await screen.findByRole('button', { name: '2,501 changes' });
  expect(toggle).toHaveAttribute('aria-expanded', 'false');
  expect(api.count('GET /api/audit')).toBe(1);
  toggle.focus();
  await userEvent.keyboard('{Enter}');
  expect(await screen.findByRole('link', { name: dsnOf(12) })).toHaveAttribute('href', `/devices/${dsnOf(12)}`);
  expect(toggle).toHaveAttribute('aria-expanded', 'true');
  expect(queryOf(api.calls.filter((call) => call.url.pathname === '/api/audit').at(-1))).toEqual({ job: JOB });
  expect(screen.getByRole('link', { name: dsnOf(11) })).toBeVisible();
  expect(screen.getByText('Failed (cloud_failed)')).toBeVisible();
  expect(screen.getAllByRole('row')).toHaveLength(2);
  await userEvent.keyboard('{Enter}');
  expect(screen.queryByRole('link', { name: dsnOf(12) })).not.toBeInTheDocument();
});

const IMPORT = '019aa000-0000-7000-8000-00000000000b';

test('a level that an import changed leads to the import, whose devices are read when expanded', async () => {
  const changed = auditEntry({
    operation: 'update_fragrances',
    changes: [
      { field: 'fragranceRemaining', before: 31, after: 40, saved: true },
      { field: 'file', before: null, after: 'tea.csv', saved: true },
    ],
    cause: IMPORT,
  });
  const imported = auditEntry({
    id: IMPORT,
    operation: 'update_fragrances',
    target: { kind: 'fragrances', id: '', csp: null },
    changes: [{ field: 'devices', before: null, after: 118, saved: true }],
  });
  const admin = { ...session, can: [...session.can, 'fragrances.edit' as const] };
  const { api, router } = open(
    '/audit?target=AC000W510000001',
    ({ url }) => ok(auditPage([url.searchParams.has('operation') ? imported : changed])),
    admin,
  );
  expect(await screen.findByText('Level changed by an import of the fragrance catalogue')).toBeVisible();
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Fragrance Remaining 31 → becomes 40',
    'File tea.csv',
  ]);
  await userEvent.click(screen.getByRole('link', { name: 'Show the import' }));
  expect(router.state.location.search).toMatchObject({ operation: 'update_fragrances' });
  await userEvent.click(await screen.findByRole('button', { name: '118 changes' }));
  await waitFor(() =>
    expect(queryOf(api.calls.filter((call) => call.url.pathname === '/api/audit').at(-1))).toMatchObject({
      cause: IMPORT,
    }),
  );
});

test('a level that the undo of an import changed leads to the undo', async () => {
  const changed = auditEntry({
    operation: 'undo_import',
    changes: [{ field: 'fragranceRemaining', before: 40, after: 31, saved: true }],
    cause: IMPORT,
  });
  const admin = { ...session, can: [...session.can, 'fragrances.edit' as const] };
  const { router } = open('/audit?target=AC000W510000001', () => ok(auditPage([changed])), admin);
  expect(await screen.findByText('Level changed by the undo of an import of the fragrance catalogue')).toBeVisible();
  await userEvent.click(screen.getByRole('link', { name: 'Show the import' }));
  expect(router.state.location.search).toMatchObject({ operation: 'undo_import' });
});

test('without the change that started a job, its changes are one row', async () => {
  const failed = { result: 'failed', code: 'cloud_failed' } as const;
  open('/audit?device=AC', () =>
    ok(auditPage([made(13), auditEntry({ id: 'other' }), made(12, failed), made(11), made(10, { job: 'another' })])),
  );
  expect(await screen.findByRole('button', { name: '3 changes, 1 failed' })).toBeVisible();
  expect(screen.getAllByRole('row')).toHaveLength(1 + 3);
  // A job with one change is shown as that change.
  expect(screen.getByRole('link', { name: dsnOf(10) })).toBeVisible();
});

test("a failed read of a job's changes is reported and can be retried", async () => {
  let fails = true;
  open('/audit', ({ url }) => {
    if (!url.searchParams.has('job')) return ok(auditPage([started]));
    return fails ? problem(503, 'unavailable') : ok(auditPage([started]));
  });
  await userEvent.click(await screen.findByRole('button', { name: '2,501 changes' }));
  expect(await screen.findByText('Failed to load changes')).toBeVisible();
  fails = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('The job has not changed any device yet.')).toBeVisible();
});

test('the device filter matches part of a DSN or serial number and includes changes by jobs', async () => {
  const { api, router } = open('/audit', () => ok(auditPage([auditEntry()])));
  await userEvent.click(await screen.findByRole('button', { name: 'Filter' }));
  await userEvent.type(await screen.findByLabelText('Part of DSN or serial number'), ' 203 ');
  await userEvent.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/audit?device=203'));
  await waitFor(() =>
    expect(queryOf(api.calls.filter((call) => call.url.pathname === '/api/audit').at(-1))).toEqual({ device: '203' }),
  );
  expect(await screen.findByRole('button', { name: 'Remove filter Part of DSN or serial number 203' })).toBeVisible();
});

test('an entry about a job leads to it and to the job that it undoes, and parameters are in words', async () => {
  const entry = auditEntry({
    operation: 'undo_job',
    target: { kind: 'job', id: JOB, csp: null },
    changes: [
      { field: 'undoes', before: null, after: '019aa000-0000-7000-8000-00000000000c', saved: true },
      { field: 'devices', before: null, after: 200, saved: true },
    ],
    job: JOB,
  });
  const report = auditEntry({
    id: 'report',
    operation: 'report_devices',
    target: { kind: 'report', id: '', csp: null },
    changes: [
      { field: 'maxremaining', before: null, after: '0', saved: true },
      { field: 'runsdrydays', before: null, after: '14', saved: true },
    ],
  });
  const admin = { ...session, can: [...session.can, 'fragrances.edit' as const, 'jobs.view' as const] };
  open('/audit', () => ok(auditPage([entry, report])), admin);
  expect(await screen.findByText('Undid a job')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Show the job' })).toHaveAttribute('href', `/jobs/${JOB}`);
  expect(screen.getByRole('link', { name: 'Show the undone job' })).toHaveAttribute(
    'href',
    '/jobs/019aa000-0000-7000-8000-00000000000c',
  );
  expect(screen.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Devices 200',
    'Remaining at most 0',
    'Runs dry in 14',
  ]);
});

test('j and k move between changes', async () => {
  open('/audit', () => ok(auditPage([auditEntry(), auditEntry({ id: 'other' })])));
  const [first, second] = await screen.findAllByRole('link', { name: 'AC000W510000001' });
  await userEvent.keyboard('jj');
  expect(second).toHaveFocus();
  await userEvent.keyboard('k');
  expect(first).toHaveFocus();
});
