import { device, deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { DeviceDetail } from '@/api/schema.gen';

const DSN = 'AC000W510000001';
const PAGE = `GET /api/devices/dsns/${DSN}`;
const RESET = `POST /api/devices/dsns/${DSN}/fragrance-level/reset`;
const SAVE = `PUT /api/devices/dsns/${DSN}/settings`;

function open(detail: DeviceDetail, answer: () => Response | Promise<Response> = () => ok(detail)) {
  const api = fakeApi({ 'GET /api/session': () => ok(session), [PAGE]: () => ok(detail), [SAVE]: answer });
  renderApp(`/devices/${DSN}`);
  return api;
}

async function openSettings() {
  await userEvent.click(await screen.findByRole('button', { name: 'Settings' }));
  return within(await screen.findByRole('dialog', { name: 'Device Settings' }));
}

test('changing the off-cycle clamps the intensity, and only these two are sent', async () => {
  const api = open(deviceDetail({ cycle: 1, intensity: 48 }));
  const dialog = await openSettings();
  expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled();
  await userEvent.click(dialog.getByRole('radio', { name: 'Normal (7 Min)' }));
  expect(dialog.getByRole('textbox', { name: 'Intensity' })).toHaveValue('40');
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Successfully updated device settings')).toBeVisible();
  expect(api.calls.find((call) => call.method === 'PUT')?.body).toEqual({
    cycle: 3,
    intensity: 40,
    seen: { cycle: '1', intensity: '48' },
  });
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Device Settings' })).not.toBeInTheDocument());
});

test('a device in mode 2 keeps it, and its intensity cannot be changed', async () => {
  const api = open(deviceDetail({ mode: 2 }));
  const dialog = await openSettings();
  expect(dialog.getByRole('radio', { name: 'Mode 2' })).toBeChecked();
  expect(dialog.getByRole('textbox', { name: 'Intensity' })).toBeDisabled();
  await userEvent.click(dialog.getByRole('radio', { name: '5' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  await screen.findByText('Successfully updated device settings');
  expect(api.calls.find((call) => call.method === 'PUT')?.body).toEqual({ fan: 5, seen: { fan: '2' } });
});

test('a refused save shows the reason, marks the field and keeps the dialog', async () => {
  open(deviceDetail(), () =>
    problem(422, 'invalid', { detail: 'Some settings are not valid.', errors: { fan: ['must be 0 to 5'] } }),
  );
  const dialog = await openSettings();
  await userEvent.click(dialog.getByRole('radio', { name: '5' }));
  await userEvent.click(dialog.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Failed to save device settings. Some settings are not valid.')).toBeVisible();
  expect(dialog.getByText('must be 0 to 5')).toBeVisible();
});

test('a save that ends after its dialog was closed does not close the next one', async () => {
  const answer = Promise.withResolvers<Response>();
  open(deviceDetail(), () => answer.promise);
  const first = await openSettings();
  await userEvent.click(first.getByRole('radio', { name: '5' }));
  await userEvent.click(first.getByRole('button', { name: 'Save' }));
  await userEvent.click(first.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  const second = await openSettings();
  await userEvent.click(second.getByRole('radio', { name: '4' }));
  answer.resolve(ok(deviceDetail({ fan: 5 })));
  expect(await screen.findByText('Successfully updated device settings')).toBeVisible();
  expect(second.getByRole('radio', { name: '4' })).toBeChecked();
});

test('a reset shows the full level at once, together with the reported one', async () => {
  const dsn = DSN;
  const before = deviceDetail({ fragranceRemaining: 4 });
  const command = { value: 100, state: 'pending', sentAt: '2026-11-20T12:00:00Z', reported: 4 } as const;
  const after = deviceDetail({
    fragranceRemaining: 100,
    commands: { fragranceRemaining: { ...command, answeredAt: null, expiresAt: null } },
  });
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(api.count(RESET) === 0 ? before : after),
    [RESET]: () => ok({ ...after, reset: { fragranceRemaining: 4, cartridgeLife: 412, undo: null } }),
  });
  renderApp(`/devices/${dsn}`);
  await userEvent.click(await screen.findByRole('button', { name: 'Reset Fragrance Level' }));
  expect(await screen.findByText('Updated Fragrance Level')).toBeVisible();
  expect(screen.getByText('100%')).toBeVisible();
  expect(screen.getByText(/Pending since .* · device reports 4%/)).toBeVisible();
  expect(api.count(RESET)).toBe(1);
});

test('a failed reset is announced and leaves the page unchanged', async () => {
  fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(deviceDetail({ fragranceRemaining: 4 })),
    [RESET]: () => problem(502, 'cloud_failed'),
  });
  renderApp(`/devices/${DSN}`);
  await userEvent.click(await screen.findByRole('button', { name: 'Reset Fragrance Level' }));
  expect(await screen.findByText('Failed to reset fragrance level')).toBeVisible();
  expect(screen.getByText('4%')).toBeVisible();
});

test('users who may not edit see no settings button and no reset', async () => {
  open(deviceDetail({ can: { edit: false, copy: false, resetLevel: false } }));
  await screen.findByRole('heading', { name: 'PL-20310' });
  for (const name of ['Settings', 'Reset Fragrance Level']) {
    expect(screen.queryByRole('button', { name })).not.toBeInTheDocument();
  }
});

test('a pending value shows its time and the reported value until the device confirms it', async () => {
  const command = { value: 24, sentAt: new Date().toISOString(), answeredAt: null, expiresAt: null, reported: 30 };
  const handlers = {
    detail: deviceDetail({ intensity: 24, commands: { intensity: { ...command, state: 'pending' } } }),
  };
  fakeApi({ 'GET /api/session': () => ok(session), [PAGE]: () => ok(handlers.detail) });
  renderApp(`/devices/${DSN}`);
  expect(await screen.findByText(/^Pending since .* · device reports 30$/)).toBeVisible();
  handlers.detail = deviceDetail({ intensity: 24, commands: { intensity: { ...command, state: 'acknowledged' } } });
  FakeEventSource.latest.send('device', { dsn: DSN, kind: 'acknowledged', device: device({ intensity: 24 }) });
  await waitFor(() => expect(screen.queryByText(/Pending/)).not.toBeInTheDocument());
});

test('in Run mode the running schedule shows its times and sets the intensity', async () => {
  const schedule = deviceDetail().schedule.map((frame) =>
    frame.number === 3
      ? { ...frame, active: true, dayOfTheWeek: 9, intensity: 25, startHour: 8, stopHour: 17, stopMinute: 30 }
      : frame,
  );
  open(deviceDetail({ mode: 4, schedule, currentScheduleRunning: 3, shownIntensity: { value: 25, schedule: 3 } }));
  const product = within(await screen.findByRole('region', { name: 'Product' }));
  expect(product.getByText('(Schedule 3)').parentElement).toHaveTextContent('25 (Schedule 3)device set to 48');
  expect(product.getByText(/^Run · Schedule 3: Weekdays, 8:00\sAM – 5:30\sPM$/)).toBeVisible();
});

test.each([
  ['Online', '2026-11-20T12:00:00Z', false, 'Online', /^Connected /],
  ['Offline', '2026-11-20T12:00:00Z', false, 'Offline', /^Last seen /],
  ['Offline', null, true, 'Never connected', undefined],
] as const)(
  '%s, last seen %s, never connected %s',
  async (connectionStatus, lastSeenAt, neverConnected, status, time) => {
    open(deviceDetail({ connectionStatus, lastSeenAt, neverConnected }));
    const product = within(await screen.findByRole('region', { name: 'Product' }));
    expect(product.getByText(status)).toBeVisible();
    if (time) expect(product.getByText(time)).toBeVisible();
    // The head says the same.
    expect(screen.getAllByText(status)).toHaveLength(2);
  },
);

test('pending cartridge hours are shown, applied ones are not', async () => {
  const times = { sentAt: '2026-11-20T12:00:00Z', answeredAt: null, expiresAt: null };
  const shown = { detail: deviceDetail({ commands: { cartridgeLife: { ...times, state: 'failed' } } }) };
  fakeApi({ 'GET /api/session': () => ok(session), [PAGE]: () => ok(shown.detail) });
  renderApp(`/devices/${DSN}`);
  expect(await screen.findByText(/^Hours of the cartridge: Refused /)).toBeVisible();
  shown.detail = deviceDetail({ commands: { cartridgeLife: { ...times, state: 'acknowledged' } } });
  FakeEventSource.latest.send('device', { dsn: DSN, kind: 'acknowledged', device: device() });
  await waitFor(() => expect(screen.queryByText(/^Hours of the cartridge/)).not.toBeInTheDocument());
});

test('between two schedules the device shows its own intensity', async () => {
  open(deviceDetail({ mode: 4, currentScheduleRunning: 0 }));
  expect((await screen.findByText('48')).parentElement).toHaveTextContent('48of 49');
  expect(screen.getByText('Run · paused')).toBeVisible();
  const product = within(screen.getByRole('region', { name: 'Product' }));
  expect(product.queryByText(/Schedule/)).not.toBeInTheDocument();
});

test('a fan speed of 0 is Off', async () => {
  open(deviceDetail({ mode: 4, fan: 0 }));
  expect(await screen.findByText('Off')).toBeVisible();
  const dialog = await openSettings();
  expect(
    within(dialog.getByRole('radiogroup', { name: 'Fan Speed' })).getByRole('radio', { name: 'Off' }),
  ).toBeChecked();
});

test('list and page name the system configuration by its label', async () => {
  open(deviceDetail());
  expect(await screen.findByText('AQ200 Series 500 mL')).toBeVisible();
  expect(screen.queryByText('AQ290')).not.toBeInTheDocument();
});

test('a device that does not exist or is not visible shows a notice', async () => {
  const api = fakeApi({ 'GET /api/session': () => ok(session), [PAGE]: () => problem(404, 'not_found') });
  renderApp(`/devices/${DSN}`);
  expect(await screen.findByRole('heading', { name: 'Device not found' })).toBeVisible();
  FakeEventSource.latest.send('ready');
  await waitFor(() => expect(api.count(PAGE)).toBe(2));
  expect(await screen.findByRole('heading', { name: 'Device not found' })).toBeVisible();
  expect(FakeEventSource.all).toHaveLength(1);
  expect(screen.getByRole('link', { name: 'Back' })).toHaveAttribute('href', '/devices');
});

test('a failed page shows the reason and can be retried', async () => {
  let fail = true;
  fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => (fail ? problem(500, 'internal', { detail: 'Out of order' }) : ok(deviceDetail())),
  });
  renderApp(`/devices/${DSN}`);
  expect(await screen.findByText('Out of order')).toBeVisible();
  fail = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByRole('heading', { name: 'PL-20310' })).toBeVisible();
});

test('a level requested by a reset is not shown as reported', async () => {
  const command = { value: 100, sentAt: '2026-11-20T12:00:00Z', answeredAt: null, expiresAt: null, reported: 4 };
  open(
    deviceDetail({
      connectionStatus: 'Offline',
      fragranceRemaining: 100,
      commands: { fragranceRemaining: { ...command, state: 'pending' } },
    }),
  );
  expect(await screen.findByText(/device reports 4%$/)).toBeVisible();
  expect(screen.getAllByText(/^As reported /)).toHaveLength(1);
});

test('the details name software, LAN address and the last refusal', async () => {
  const reason = 'intensity (value 2 of 3) is out of range (1 to 50)';
  const lastRefusal = { at: '2026-11-20T12:00:00Z', reason };
  open(deviceDetail({ swVersion: 'link 1.3.2', lanIp: '192.168.1.20', lastRefusal }));
  const fact = async (label: string) => (await screen.findByText(label)).nextElementSibling?.textContent;
  expect(await fact('Software')).toBe('link 1.3.2');
  expect(await fact('LAN Address')).toBe('192.168.1.20');
  expect(await fact('Last Refusal')).toMatch(
    /^Nov 20, 2026, .*: intensity \(value 2 of 3\) is out of range \(1 to 50\)$/,
  );
});

test('the details name what the device sends and the cloud cannot store', async () => {
  const lastAt = '2026-11-20T12:00:00Z';
  const odd = { property: 'board_temp', kind: 'unknown_property', count: 1, lastAt, value: '41' };
  const often = { property: 'intensity', kind: 'a new kind', count: 1234, lastAt, value: 'text: 20 %' };
  open(deviceDetail({ faults: [odd, often] }));
  const card = within(await screen.findByRole('region', { name: 'Faults' }));
  const fact = (label: string) => card.getByText(label).nextElementSibling?.textContent;
  expect(fact('board_temp: unknown property')).toMatch(/^Once, last Nov 20, 2026, .* \(41\)$/);
  expect(fact('intensity: a new kind')).toMatch(/^1,234 times, last Nov 20, 2026, .* \(text: 20 %\)$/);
});

test('an online device that is silent shows when it was last heard', async () => {
  open(deviceDetail({ connectionStatus: 'Online', lastHeardAt: '2026-11-20T12:00:00Z' }));
  expect(await screen.findByText(/^Last heard /)).toBeVisible();
  expect(screen.queryByText(/^Connected /)).not.toBeInTheDocument();
});

test('faults of clock and identity have names', async () => {
  const lastAt = '2026-11-20T12:00:00Z';
  const clock = { property: 'at', kind: 'clock_off', count: 1, lastAt, value: '301 seconds ahead' };
  const identity = { property: 'connection', kind: 'shared_identity', count: 2, lastAt, value: 'replaced' };
  open(deviceDetail({ faults: [clock, identity] }));
  const card = within(await screen.findByRole('region', { name: 'Faults' }));
  expect(card.getByText('at: clock is off').nextElementSibling?.textContent).toMatch(/\(301 seconds ahead\)$/);
  expect(card.getByText('connection: two devices with one identity')).toBeVisible();
});

test('the details of a device without faults have no card for them', async () => {
  open(deviceDetail());
  await screen.findByText('LAN Address');
  expect(screen.queryByRole('region', { name: 'Faults' })).not.toBeInTheDocument();
});

test('the details of a device that was never refused have no last refusal', async () => {
  open(deviceDetail());
  await screen.findByText('LAN Address');
  expect(screen.queryByText('Last Refusal')).not.toBeInTheDocument();
});
