import { type Call, device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Job, PreviewTarget } from '@/api/schema.gen';

const FIRST = device({ dsn: 'A1', serialNumber: 'PL-1' });
/** The storage key of the page's job. */
const REMEMBERED = `job:${session.user.id}/bulk-edit`;
const SECOND = device({ dsn: 'B2', serialNumber: null });

function job(part: Partial<Job> = {}): Job {
  return {
    id: 'j1',
    state: 'running',
    counts: { total: 2, waiting: 2, done: 0, failed: 0, left: 0, cancelled: 0 },
    unfinished: [],
    operation: 'assign_csp',
    startedBy: session.user.email,
    retriedBy: null,
    createdAt: '2026-11-20T12:00:00Z',
    endedAt: null,
    resumesAt: null,
    undoes: null,
    undoneBy: null,
    can: { cancel: true, retry: false, undo: false },
    ...part,
  };
}

const done = job({
  state: 'done',
  counts: { total: 2, waiting: 0, done: 2, failed: 0, left: 0, cancelled: 0 },
  endedAt: '2026-11-20T12:00:09Z',
  can: { cancel: false, retry: false, undo: false },
});

const failed = job({
  state: 'done',
  counts: { total: 2, waiting: 0, done: 1, failed: 1, left: 0, cancelled: 0 },
  unfinished: [{ dsn: 'B2', state: 'failed', reason: 'It is locked.' }],
  endedAt: '2026-11-20T12:00:09Z',
  can: { cancel: false, retry: true, undo: false },
});

const stopped = job({
  state: 'cancelled',
  counts: { total: 2, waiting: 0, done: 1, failed: 0, left: 0, cancelled: 1 },
  unfinished: [{ dsn: 'A1', state: 'cancelled', reason: null }],
  endedAt: '2026-11-20T12:00:09Z',
  can: { cancel: false, retry: true, undo: false },
});

/** A list of two pages with one device each. */
function open({
  start = () => ok(job()),
  read = () => ok(done),
  select = () => ok({ dsns: ['A1', 'B2', 'C3'], total: 3 }),
  who = session,
  more = {},
  address = '/devices',
}: Options = {}) {
  const page = ({ url }: Call) => (url.searchParams.get('page') === '2' ? SECOND : FIRST);
  const api = fakeApi({
    'GET /api/session': () => ok(who),
    'GET /api/devices': (call) =>
      ok(deviceList([page(call)], { total: 6, currentPageNumber: Number(call.url.searchParams.get('page')) })),
    'GET /api/devices/counts': () => ok({ all: 6, online: 4, offline: 1, neverConnected: 1, low: 0 }),
    'GET /api/devices/selection': select,
    'GET /api/csps/all': () =>
      ok([
        { id: '1', name: 'AirCo' },
        { id: '2', name: 'Northlight Scents' },
      ]),
    'PUT /api/devices/csp': start,
    'GET /api/jobs/j1': read,
    'POST /api/jobs/j1/cancel': () => ok(stopped),
    'POST /api/jobs/j1/retry': () => ok(job()),
    ...more,
  });
  return { api, ...renderApp(address) };
}

interface Options {
  start?: (call: Call) => Response;
  read?: () => Response | Promise<Response>;
  select?: () => Response | Promise<Response>;
  who?: typeof session;
  more?: Parameters<typeof fakeApi>[0];
  address?: string;
}

const button = (name: string | RegExp) => screen.getByRole('button', { name });
const box = (name: string) => screen.findByRole('checkbox', { name });

async function enter() {
  await userEvent.click(await screen.findByRole('button', { name: 'Bulk Edit Details' }));
  await screen.findByRole('heading', { name: 'Bulk Edit Details' });
}

async function choose(csp: string) {
  await userEvent.click(screen.getByRole('combobox', { name: /^CSP/ }));
  await userEvent.click(await screen.findByRole('option', { name: csp, hidden: true }));
}

test('Bulk Edit is shown only with the permission', async () => {
  open({ who: { ...session, can: ['devices.view', 'devices.add', 'csps.view'] } });
  await screen.findByText('PL-1');
  expect(screen.queryByRole('button', { name: 'Bulk Edit Details' })).not.toBeInTheDocument();
  expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
});

test('devices of several pages get the chosen CSP, and Save waits for the choice', async () => {
  const { api } = open();
  await enter();
  await userEvent.click(await box('Select PL-1'));
  expect(button('Save')).toBeDisabled();
  await userEvent.click(button('Next page'));
  await userEvent.click(await box('Select B2'));
  expect(screen.getByText('2 devices selected')).toBeVisible();
  expect(button('Save')).toBeDisabled();
  await choose('Northlight Scents');
  await userEvent.click(button('Save'));
  expect(await screen.findByText('Successfully updated device details')).toBeVisible();
  const put = api.calls.find(({ method }) => method === 'PUT');
  expect(put?.body).toEqual({ dsns: ['A1', 'B2'], csp: 'Northlight Scents' });
  expect(screen.queryByRole('checkbox')).not.toBeInTheDocument();
  expect(button('Bulk Edit Details')).toHaveFocus();
});

test('nothing can be saved without a device', async () => {
  open();
  await enter();
  await choose('AirCo');
  expect(button('Save')).toBeDisabled();
});

test("the page's checkbox selects all rows and shows a partial selection", async () => {
  open();
  await enter();
  const page = await box('Select all on this page');
  await userEvent.click(page);
  expect(await box('Select PL-1')).toBeChecked();
  await userEvent.click(button('Next page'));
  expect(await box('Select B2')).not.toBeChecked();
  expect(await box('Select all on this page')).not.toBeChecked();
  await userEvent.click(button('Previous page'));
  expect(await box('Select PL-1')).toBeChecked();
  await userEvent.click(await box('Select all on this page'));
  expect(screen.getByText('0 devices selected')).toBeVisible();
});

test('a click anywhere in a row selects it, and the keyboard uses the checkbox', async () => {
  open();
  await enter();
  await userEvent.click(await screen.findByText('Harbor Hotels'));
  expect(await box('Select PL-1')).toBeChecked();
  (await box('Select PL-1')).focus();
  await userEvent.keyboard(' ');
  expect(await box('Select PL-1')).not.toBeChecked();
});

test('changing filters and leaving clear the selection', async () => {
  open();
  await enter();
  await userEvent.click(await box('Select PL-1'));
  await userEvent.type(screen.getByLabelText('Search devices'), 'A1');
  expect(await screen.findByText('0 devices selected')).toBeVisible();
  expect(screen.getByText('The filters changed, so the selection was cleared.')).toBeVisible();
  await userEvent.click(await box('Select PL-1'));
  expect(screen.queryByText('The filters changed, so the selection was cleared.')).not.toBeInTheDocument();
  await userEvent.click(button('Cancel'));
  await enter();
  expect(screen.getByText('0 devices selected')).toBeVisible();
});

test('selecting all matching devices on all pages sends the filter instead of their DSNs', async () => {
  const { api } = open({ address: '/devices?city=Oslo&maxremaining=20' });
  await enter();
  await userEvent.click(await screen.findByRole('button', { name: 'Select all 6 that match' }));
  expect(await screen.findByText('3 devices selected')).toBeVisible();
  expect(await box('Select PL-1')).toBeChecked();
  const request = api.calls.find(({ url }) => url.pathname === '/api/devices/selection');
  expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual({ city: 'Oslo', maxremaining: '20' });
  expect(screen.getByText('All devices that match when the job starts are changed.')).toBeVisible();
  await choose('AirCo');
  await userEvent.click(button('Save'));
  await screen.findByText('Successfully updated device details');
  const put = api.calls.find(({ method }) => method === 'PUT');
  expect(put?.body).toEqual({ matching: 'city=Oslo&maxremaining=20', csp: 'AirCo' });
});

test('all matching devices can be selected only once their number is known', async () => {
  const answer = Promise.withResolvers<Response>();
  const filtered = ({ url }: Call) => url.searchParams.has('q');
  open({
    more: { 'GET /api/devices': (call) => (filtered(call) ? answer.promise : ok(deviceList([FIRST], { total: 6 }))) },
  });
  await enter();
  expect(await screen.findByRole('button', { name: 'Select all 6 that match' })).toBeEnabled();
  await userEvent.type(screen.getByLabelText('Search devices'), 'Oslo');
  await waitFor(() => expect(button('Select all 6 that match')).toBeDisabled());
  answer.resolve(ok(deviceList([FIRST], { total: 1 })));
  expect(await screen.findByRole('button', { name: 'Select all 1 that match' })).toBeEnabled();
});

test('after one of all matching devices is deselected, the DSNs of the others are sent', async () => {
  const { api } = open();
  await enter();
  await userEvent.click(await screen.findByRole('button', { name: 'Select all 6 that match' }));
  expect(await screen.findByText('3 devices selected')).toBeVisible();
  await userEvent.click(await box('Select PL-1'));
  await choose('AirCo');
  await userEvent.click(button('Save'));
  await screen.findByText('Successfully updated device details');
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({ dsns: ['B2', 'C3'], csp: 'AirCo' });
});

const PREVIEW = 'POST /api/devices/csp/preview';

function target(dsn: string, part: Partial<PreviewTarget> = {}): PreviewTarget {
  return { dsn, changes: [], refusal: null, ...part };
}

test('the preview shows changed, unchanged and refused devices page by page, until another device is selected', async () => {
  const changes = [{ field: 'csp', before: 'North', after: 'AirCo' }];
  const { api } = open({
    more: {
      [PREVIEW]: ({ url }) =>
        url.searchParams.get('from') === '0'
          ? ok({ total: 3, targets: [target('A1', { changes }), target('B2')], next: 2 })
          : ok({ total: 3, targets: [target('C3', { refusal: 'You may not do that.' })], next: null }),
    },
  });
  await enter();
  await userEvent.click(await box('Select PL-1'));
  expect(button('Preview changes')).toBeDisabled();
  await choose('AirCo');
  await userEvent.click(button('Preview changes'));
  const preview = within(await screen.findByRole('region', { name: 'What would change' }));
  expect(await preview.findByText('The first 2 of 3 devices: 1 would change, 1 would not change')).toBeVisible();
  expect(preview.getByText('A1').closest('li')).toHaveTextContent('A1CSP North → becomes AirCo');
  await userEvent.click(preview.getByRole('button', { name: 'Show more' }));
  expect(await preview.findByText('1 would change, 1 would not change, 1 would fail')).toBeVisible();
  expect(preview.getByText('You may not do that.')).toBeVisible();
  const [asked] = api.calls.filter(({ url }) => url.pathname === '/api/devices/csp/preview');
  expect(asked?.body).toEqual({ dsns: ['A1'], csp: 'AirCo' });
  await userEvent.click(await box('Select PL-1'));
  expect(screen.queryByRole('region', { name: 'What would change' })).not.toBeInTheDocument();
  expect(api.count('PUT /api/devices/csp')).toBe(0);
});

test('a preview that fails shows the reason, and can be retried', async () => {
  const answers = [
    problem(429, 'too_many_requests', { detail: 'Too many attempts. Please wait a moment.' }),
    ok({ total: 1, targets: [target('A1')], next: null }),
  ];
  open({ more: { [PREVIEW]: () => answers.shift() as Response } });
  await enter();
  await userEvent.click(await box('Select PL-1'));
  await choose('AirCo');
  await userEvent.click(button('Preview changes'));
  expect(await screen.findByText('Too many attempts. Please wait a moment.')).toBeVisible();
  await userEvent.click(button('Retry'));
  expect(await screen.findByText('0 would change, 1 would not change')).toBeVisible();
});

test('more devices than the job limit are refused with the reason, and nothing is selected', async () => {
  const errors = { dsns: ['5001 devices match, and at most 5000 can be selected at once'] };
  open({ select: () => problem(422, 'invalid', { errors }) });
  await enter();
  await userEvent.click(await screen.findByRole('button', { name: 'Select all 6 that match' }));
  const reason = '5001 devices match, and at most 5000 can be selected at once';
  expect(await screen.findByText(`Failed to select devices. ${reason}`)).toBeVisible();
  expect(screen.getByText('0 devices selected')).toBeVisible();
});

test('devices that matched other filters are not selected', async () => {
  const late = Promise.withResolvers<Response>();
  open({ select: () => late.promise });
  await enter();
  await userEvent.click(await screen.findByRole('button', { name: 'Select all 6 that match' }));
  await userEvent.type(screen.getByLabelText('Search devices'), 'A1');
  await screen.findByRole('button', { name: 'Remove filter Search A1' });
  late.resolve(ok({ dsns: ['A1', 'B2'], total: 2 }));
  await waitFor(() => expect(button('Select all 6 that match')).toBeEnabled());
  expect(screen.getByText('0 devices selected')).toBeVisible();
});

test('failed devices stay selected with their reasons', async () => {
  open({ read: () => ok(failed) });
  await enter();
  await userEvent.click(await box('Select PL-1'));
  await choose('AirCo');
  await userEvent.click(button('Save'));
  expect(await screen.findByText('Failed to update details')).toBeVisible();
  expect(screen.getByText('1 of 2 devices done')).toBeVisible();
  expect(screen.getByRole('list', { name: 'Failed devices' })).toHaveTextContent('B2It is locked.');
  expect(screen.getByText('1 device selected')).toBeVisible();
  expect(await box('Select PL-1')).not.toBeChecked();
  await userEvent.click(button('Next page'));
  expect(await box('Select B2')).toBeChecked();
});

test('a successful retry is announced as a success', async () => {
  let answer = failed;
  open({ read: () => ok(answer) });
  await enter();
  await userEvent.click(await box('Select PL-1'));
  await choose('AirCo');
  await userEvent.click(button('Save'));
  await screen.findByText('Failed to update details');
  answer = done;
  await userEvent.click(button('Retry'));
  FakeEventSource.latest.send('job', { id: 'j1', state: 'done', counts: done.counts });
  expect(await screen.findByText('Successfully updated device details')).toBeVisible();
});

test('a refusal is announced, and everything stays unchanged', async () => {
  open({ start: () => problem(500, 'internal') });
  await enter();
  await userEvent.click(await box('Select PL-1'));
  await choose('AirCo');
  await userEvent.click(button('Save'));
  expect(await screen.findByText('Failed to update details')).toBeVisible();
  expect(await box('Select PL-1')).toBeChecked();
});

test('a removed CSP is a field error', async () => {
  open({ start: () => problem(422, 'invalid', { errors: { csp: ['Is not one of the choices'] } }) });
  await enter();
  await userEvent.click(await box('Select PL-1'));
  await choose('AirCo');
  await userEvent.click(button('Save'));
  await waitFor(() =>
    expect(screen.getByRole('combobox', { name: /^CSP/ })).toHaveAccessibleDescription('Is not one of the choices'),
  );
});

test('during the job the selection is locked, events report progress, and the job can be stopped', async () => {
  const { api } = open({ read: () => ok(job()) });
  await enter();
  await userEvent.click(await box('Select PL-1'));
  await choose('AirCo');
  await userEvent.click(button('Save'));
  expect(await screen.findByText('0 of 2 devices done')).toBeVisible();
  expect(await box('Select PL-1')).toBeDisabled();
  expect(button('Save')).toBeDisabled();
  // Not the disabled button, which keeps the focus in jsdom.
  expect(screen.getByRole('region', { name: 'Updating device details' })).toHaveFocus();
  const counts = { total: 2, waiting: 1, done: 1, failed: 0, left: 0, cancelled: 0 };
  FakeEventSource.latest.send('job', { id: 'j1', state: 'running', counts });
  expect(await screen.findByText('1 of 2 devices done')).toBeVisible();
  await userEvent.click(button('Stop'));
  expect(await screen.findByText('Cancelled')).toBeVisible();
  expect(api.count('POST /api/jobs/j1/cancel')).toBe(1);
  expect(screen.getByText('1 cancelled')).toBeVisible();
  expect(await box('Select PL-1')).toBeEnabled();
  expect(await box('Select PL-1')).toBeChecked();
});

test('a job that ended while there was no stream is read again', async () => {
  let answer = job();
  open({ read: () => ok(answer) });
  await enter();
  await userEvent.click(await box('Select PL-1'));
  await choose('AirCo');
  await userEvent.click(button('Save'));
  await screen.findByText('0 of 2 devices done');
  answer = stopped;
  await userEvent.click(button('Stop'));
  expect(await screen.findByText('Cancelled')).toBeVisible();
  // The last device was in progress, and its event was lost.
  answer = done;
  FakeEventSource.latest.send('resync');
  expect(await screen.findByText('Successfully updated device details')).toBeVisible();
});

test('a read from before the stop does not show the job as running', async () => {
  const request = 'GET /api/jobs/j1';
  const { api } = open({ read: () => new Promise<Response>(() => undefined) });
  await enter();
  await userEvent.click(await box('Select PL-1'));
  await choose('AirCo');
  await userEvent.click(button('Save'));
  await waitFor(() => expect(api.count(request)).toBe(1));
  await userEvent.click(button('Stop'));
  expect(await screen.findByText('Cancelled')).toBeVisible();
  const late = api.calls.find(({ method, url }) => `${method} ${url.pathname}` === request);
  expect(late?.signal?.aborted).toBe(true);
});

test('after a reload the page continues to follow the job', async () => {
  sessionStorage.setItem(REMEMBERED, 'j1');
  open({ read: () => ok(job()) });
  expect(await screen.findByText('0 of 2 devices done')).toBeVisible();
  expect(await box('Select PL-1')).toBeDisabled();
});

test('a job interrupted in the background is announced and can be retried', async () => {
  sessionStorage.setItem(REMEMBERED, 'j1');
  const interrupted = job({
    state: 'interrupted',
    counts: { total: 2, waiting: 1, done: 1, failed: 0, left: 0, cancelled: 0 },
    unfinished: [{ dsn: 'A1', state: 'waiting', reason: null }],
    can: { cancel: false, retry: true, undo: false },
  });
  open({ read: () => ok(interrupted) });
  expect(await screen.findByText('Failed to update details')).toBeVisible();
  expect(screen.getByText(/^Your session or your permission ended/)).toBeVisible();
  expect(await box('Select PL-1')).toBeChecked();
  expect(button('Retry')).toBeEnabled();
});

test('a deleted job unlocks the page', async () => {
  sessionStorage.setItem(REMEMBERED, 'j1');
  open({ read: () => problem(404, 'not_found', { detail: 'There is no such thing here.' }) });
  expect(await screen.findByText('Failed to load progress')).toBeVisible();
  await userEvent.click(button('Close'));
  expect(screen.queryByText('Failed to load progress')).not.toBeInTheDocument();
  expect(sessionStorage.getItem(REMEMBERED)).toBeNull();
});
