import { device, deviceDetail, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Job } from '@/api/schema.gen';

const DSN = 'AC000W510000001';
const COPY = `POST /api/devices/dsns/${DSN}/copy`;
const JOB = 'GET /api/jobs/1';
const AT = `/devices/${DSN}/copy`;

function job(part: Partial<Job> = {}): Job {
  return {
    id: '1',
    state: 'done',
    counts: { total: 2, waiting: 0, done: 2, failed: 0, left: 0, cancelled: 0 },
    unfinished: [],
    operation: 'copy_device',
    startedBy: session.user.email,
    retriedBy: null,
    createdAt: '2026-11-20T12:00:00Z',
    endedAt: null,
    resumesAt: null,
    undoes: null,
    undoneBy: null,
    can: { cancel: false, retry: false, undo: false },
    ...part,
  };
}

const other = (number: number) =>
  device({ dsn: `AC000W51000000${number}`, serialNumber: `PL-${number}`, customer: 'Shop' });

const TARGETS = [
  { dsn: 'A10', changes: [{ field: 'customer', before: 'Shop', after: 'Hotel' }], refusal: null },
  { dsn: 'A11', changes: [], refusal: null },
];

function open(handlers: Parameters<typeof fakeApi>[0] = {}, address = AT) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/csps/all': () => ok([]),
    'GET /api/devices': ({ url }) =>
      ok(deviceList(url.searchParams.get('page') === '2' ? [other(12)] : [other(10), other(11)], { total: 26 })),
    'GET /api/devices/counts': () => ok({ all: 26, online: 20, offline: 4, neverConnected: 2, low: 1 }),
    [`GET /api/devices/dsns/${DSN}`]: () => ok(deviceDetail()),
    [COPY]: () => Response.json(job(), { status: 202 }),
    [`${COPY}/preview`]: () => ok({ total: 2, targets: TARGETS, next: null }),
    [JOB]: () => ok(job()),
    ...handlers,
  });
  return { api, ...renderApp(address) };
}

const copied = ({ calls }: ReturnType<typeof fakeApi>) => calls.find(({ url }) => url.pathname.endsWith('/copy'))?.body;
const option = (name: string) => screen.findByRole('checkbox', { name });
const target = (name: string) => screen.findByRole('checkbox', { name: new RegExp(`${name}$`) });
const apply = () => screen.getByRole('button', { name: 'Apply Details' });
/** Applies without having looked at the preview. */
async function applyUnseen() {
  await userEvent.click(apply());
  const question = within(await screen.findByRole('dialog', { name: 'Copy these details?' }));
  await userEvent.click(await question.findByRole('button', { name: /^Apply to \d+ devices?$/ }));
}

test.each([
  [4, 'In Run mode the intensity has no effect while a schedule is active: the schedule sets it.'],
  [3, ''],
])('for a device in mode %i the settings say whether the intensity has an effect', async (mode, note) => {
  open({ [`GET /api/devices/dsns/${DSN}`]: () => ok(deviceDetail({ mode })) });
  const text = ['Mode, off-cycle, intensity and fan speed', note].filter(Boolean).join('. ');
  expect(await option('Settings')).toHaveAccessibleDescription(text);
});

test('six options are offered, and all other devices as targets, 25 on a page', async () => {
  const { api } = open();
  const options = within(await screen.findByRole('region', { name: '1. Choose what to copy' }));
  const names = options.getAllByRole('checkbox').map((box) => box.getAttribute('aria-label'));
  expect(names).toEqual(['Name', 'Identification', 'Schedules', 'Notifications', 'Settings', 'Location Information']);
  const steps = screen
    .getAllByRole('region')
    .map((step) => step.getAttribute('aria-label') ?? within(step).getByRole('heading').textContent);
  expect(steps).toEqual(['1. Choose what to copy', '2. Choose devices', '3. Apply']);
  await target('PL-10');
  const list = api.calls.find(({ url }) => url.pathname === '/api/devices');
  expect(list?.url.searchParams.get('excludeDsn')).toBe(DSN);
  expect(list?.url.searchParams.get('pageSize')).toBe('25');
  expect(document.title).toBe('Sillage - Copy details of PL-20310');
});

test('nothing is applied without an option and a device', async () => {
  open();
  await userEvent.click(await target('PL-10'));
  expect(apply()).toBeDisabled();
  await userEvent.click(await option('Identification'));
  expect(apply()).toBeEnabled();
  expect(screen.getByText('1 option and 1 device selected')).toBeVisible();
  await userEvent.click(await target('PL-10'));
  expect(apply()).toBeDisabled();
  await userEvent.click(await target('PL-10'));
  await userEvent.click(await option('Identification'));
  expect(apply()).toBeDisabled();
});

test('a copy reaches the devices selected on several pages and leads back to the device', async () => {
  const { api, router } = open();
  await userEvent.click(await option('Name'));
  await userEvent.click(await option('Settings'));
  await userEvent.click(await target('PL-10'));
  await userEvent.click(screen.getByRole('button', { name: 'Next page' }));
  await userEvent.click(await target('PL-12'));
  expect(router.state.location.href).toBe(`${AT}?page=2`);
  await applyUnseen();
  expect(await screen.findByText('Successfully copied device')).toBeVisible();
  await waitFor(() => expect(router.state.location.pathname).toBe(`/devices/${DSN}`));
  expect(copied(api)).toEqual({
    targets: ['AC000W5100000010', 'AC000W5100000012'],
    copyName: true,
    copyId: false,
    schedules: false,
    notifications: false,
    settings: true,
    location: false,
  });
});

test('failed devices are named and stay selected', async () => {
  const reason = 'There is no such thing here.';
  const failed = job({
    counts: { total: 2, waiting: 0, done: 1, failed: 1, left: 0, cancelled: 0 },
    unfinished: [{ dsn: 'AC000W5100000011', state: 'failed', reason }],
  });
  const { router } = open({ [COPY]: () => Response.json(failed, { status: 202 }), [JOB]: () => ok(failed) });
  await userEvent.click(await option('Identification'));
  await userEvent.click(await target('PL-10'));
  await userEvent.click(await target('PL-11'));
  await applyUnseen();
  const text = `Failed to update device. Not copied to AC000W5100000011. ${reason}`;
  expect(await screen.findByText(text)).toBeVisible();
  expect(router.state.location.pathname).toBe(AT);
  expect(await target('PL-10')).not.toBeChecked();
  expect(await target('PL-11')).toBeChecked();
  expect(await option('Identification')).toBeChecked();
});

test('a copy that cannot start shows the reason and keeps the selection', async () => {
  open({ [COPY]: () => problem(502, 'cloud_failed', { detail: 'The device cloud cannot be reached.' }) });
  await userEvent.click(await option('Identification'));
  await userEvent.click(await target('PL-10'));
  await applyUnseen();
  expect(await screen.findByText('Failed to update device. The device cloud cannot be reached.')).toBeVisible();
  expect(await target('PL-10')).toBeChecked();
  expect(apply()).toBeEnabled();
});

test('filters apply only to this page, and Back leads to the device', async () => {
  const { router } = open({}, `/devices/${DSN}`);
  await userEvent.click(await screen.findByRole('link', { name: 'Copy Device Details' }));
  await userEvent.type(await screen.findByLabelText('Search devices'), 'AC');
  await waitFor(() => expect(router.state.location.search).toMatchObject({ q: 'AC' }));
  expect(sessionStorage.getItem('filters:/devices')).toBeNull();
  await userEvent.click(screen.getByRole('link', { name: 'Cancel' }));
  await waitFor(() => expect(router.state.location.pathname).toBe(`/devices/${DSN}`));
});

test('users who may not copy see everything but cannot select', async () => {
  const can = { edit: false, copy: false, resetLevel: false };
  open({ [`GET /api/devices/dsns/${DSN}`]: () => ok(deviceDetail({ can })) });
  expect(await screen.findByText('You can view this device but not copy it.')).toBeVisible();
  await target('PL-10');
  for (const box of screen.getAllByRole('checkbox')) expect(box).toBeDisabled();
  expect(apply()).toBeDisabled();
});

test('a copy whose preview was not shown asks once, with the figures of the preview', async () => {
  const { api } = open();
  await userEvent.click(await option('Name'));
  await userEvent.click(await target('PL-10'));
  await userEvent.click(apply());
  const question = within(await screen.findByRole('dialog', { name: 'Copy these details?' }));
  expect(await question.findByText('1 would change, 1 would not change')).toBeVisible();
  await userEvent.click(question.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(copied(api)).toBeUndefined();
  // Whoever has looked at the preview is not asked.
  await userEvent.click(screen.getByRole('button', { name: 'Preview changes' }));
  expect(await screen.findByText('1 would change, 1 would not change')).toBeVisible();
  await userEvent.click(apply());
  expect(await screen.findByText('Successfully copied device')).toBeVisible();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

test('a preview is requested for the chosen options and devices', async () => {
  const changes = [{ field: 'customer', before: 'Shop', after: 'Hotel' }];
  const { api } = open({
    [`${COPY}/preview`]: () => ok({ total: 1, targets: [{ dsn: 'A10', changes, refusal: null }], next: null }),
  });
  await userEvent.click(await target('PL-10'));
  expect(screen.getByRole('button', { name: 'Preview changes' })).toBeDisabled();
  await userEvent.click(await option('Name'));
  await userEvent.click(screen.getByRole('button', { name: 'Preview changes' }));
  expect(await screen.findByText('1 would change')).toBeVisible();
  const asked = api.calls.find(({ url }) => url.pathname.endsWith('/copy/preview'));
  expect(asked?.body).toMatchObject({ targets: ['AC000W5100000010'], copyName: true, copyId: false });
  await userEvent.click(await option('Settings'));
  expect(screen.queryByText('1 would change')).not.toBeInTheDocument();
});

test('selecting all matching devices sends the filter instead of their DSNs', async () => {
  const { api } = open({
    'GET /api/devices/selection': () => ok({ dsns: ['AC000W5100000011', 'AC000W5100000012'], total: 2 }),
  });
  await userEvent.click(await option('Settings'));
  await userEvent.click(await screen.findByRole('button', { name: 'Select all 26 that match' }));
  await screen.findByText('All devices that match when the job starts are changed.');
  await applyUnseen();
  await screen.findByText('Successfully copied device');
  const sent = copied(api);
  expect(sent).toMatchObject({ matching: `excludeDsn=${DSN}`, settings: true });
  expect(sent).not.toHaveProperty('targets');
});

test('a device that does not exist shows a notice', async () => {
  open({ [`GET /api/devices/dsns/${DSN}`]: () => problem(404, 'not_found') });
  expect(await screen.findByRole('heading', { name: 'Device not found' })).toBeVisible();
});

test('all matching devices can be selected in addition to earlier ones, and deselected', async () => {
  const { api } = open({
    'GET /api/devices/selection': () => ok({ dsns: ['AC000W5100000011', 'AC000W5100000012'], total: 2 }),
  });
  await userEvent.click(await option('Settings'));
  await userEvent.click(await target('PL-10'));
  await userEvent.click(screen.getByRole('button', { name: 'Select all 26 that match' }));
  expect(await screen.findByText('3 selected')).toBeVisible();
  expect(screen.getByText('They stay selected when the filters change.')).toBeVisible();
  const request = api.calls.find(({ url }) => url.pathname === '/api/devices/selection');
  expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual({ excludeDsn: DSN });
  await userEvent.click(screen.getByRole('button', { name: 'Clear selection' }));
  expect(screen.getByText('1 option and 0 devices selected')).toBeVisible();
  expect(await target('PL-10')).not.toBeChecked();
});
