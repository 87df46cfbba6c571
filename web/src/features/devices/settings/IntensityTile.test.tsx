import { device, deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { scheduleOf } from '@test/open-schedule';
import { renderApp } from '@test/render-app';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { DeviceDetail } from '@/api/schema.gen';

const { dsn } = device();
const PAGE = `GET /api/devices/dsns/${dsn}`;
const SAVE = `PUT /api/devices/dsns/${dsn}/settings`;
const COMMAND = { sentAt: '2026-11-20T12:00:00Z', answeredAt: null, expiresAt: null, state: 'pending' } as const;

function open(detail: DeviceDetail, save: () => Response | Promise<Response> = () => ok(detail)) {
  const api = fakeApi({ 'GET /api/session': () => ok(session), [PAGE]: () => ok(detail), [SAVE]: save });
  renderApp(`/devices/${dsn}`);
  return api;
}

const slider = () => screen.findByRole('slider', { name: 'Intensity' });

async function slide(to: number): Promise<void> {
  const input = await slider();
  fireEvent.pointerDown(input);
  fireEvent.change(input, { target: { value: to } });
  fireEvent.pointerUp(window);
}

test('a gesture sends only the intensity, and the slider shows it until the response', async () => {
  const answer = Promise.withResolvers<Response>();
  const api = open(deviceDetail({ mode: 3, intensity: 20 }), () => answer.promise);
  await slide(31);
  expect(await screen.findByText('Set to 31')).toBeVisible();
  await waitFor(() => expect(api.count(SAVE)).toBe(1));
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({ intensity: 31 });
  answer.resolve(ok(deviceDetail({ mode: 3, intensity: 31 })));
  await waitFor(() => expect(screen.queryByText('Set to 31')).not.toBeInTheDocument());
  expect(await slider()).toHaveValue('31');
  // The state of the command says it.
  expect(screen.queryByRole('alert')).toBeNull();
});

const CONFIRMED = { ...COMMAND, answeredAt: '2026-11-20T12:00:01Z', state: 'acknowledged' } as const;

test('beside a failed save no earlier value is called confirmed, and the next save removes the failure', async () => {
  const before = deviceDetail({
    mode: 3,
    intensity: 20,
    commands: { intensity: { ...CONFIRMED, value: 20, reported: 20 } },
  });
  const after = deviceDetail({
    mode: 3,
    intensity: 30,
    commands: { intensity: { ...CONFIRMED, value: 30, reported: 30 } },
  });
  let failing = true;
  open(before, () => (failing ? problem(502, 'cloud', { detail: 'Try again.' }) : ok(after)));
  expect(await screen.findByText(/^Confirmed /)).toBeVisible();
  await slide(31);
  const failure = await screen.findByText('Failed to save device settings. Try again.');
  expect(screen.getByText('31 is not confirmed')).toBeVisible();
  expect(screen.queryByText(/^Confirmed /)).toBeNull();
  failing = false;
  await slide(30);
  expect(await screen.findByText(/^Confirmed /)).toBeVisible();
  expect(screen.queryByText(/ is not confirmed$/)).toBeNull();
  await waitFor(() => expect(failure).not.toBeInTheDocument());
});

test('a save whose response is lost is not called failed, and what the device got is shown after another read', async () => {
  const commands = { intensity: { ...CONFIRMED, value: 31, reported: 31 } };
  const held = Promise.withResolvers<void>();
  let reads = 0;
  fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: async () => {
      reads += 1;
      if (reads === 1) return ok(deviceDetail({ mode: 3, intensity: 20 }));
      await held.promise;
      return ok(deviceDetail({ mode: 3, intensity: 31, commands }));
    },
    [SAVE]: () => Promise.reject(new TypeError('network')),
  });
  renderApp(`/devices/${dsn}`);
  await slide(31);
  const warning = await screen.findByText(/The device settings may have been saved nevertheless\.$/);
  expect(screen.getByText('31 is not confirmed')).toBeVisible();
  expect(screen.queryByText(/^(Failed|Confirmed) /)).toBeNull();
  held.resolve();
  expect(await screen.findByText(/^Confirmed /)).toBeVisible();
  expect(screen.queryByText('31 is not confirmed')).toBeNull();
  await waitFor(() => expect(warning).not.toBeInTheDocument());
});

test('going back to the old value during a save sends it, too', async () => {
  const answer = Promise.withResolvers<Response>();
  const api = open(deviceDetail({ mode: 3, intensity: 20 }), () => answer.promise);
  await slide(19);
  await waitFor(() => expect(api.count(SAVE)).toBe(1));
  await slide(20);
  answer.resolve(ok(deviceDetail({ mode: 3, intensity: 19 })));
  await waitFor(() => expect(api.count(SAVE)).toBe(2));
  expect(api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual([
    { intensity: 19 },
    { intensity: 20 },
  ]);
});

test('a gesture that ends where it began sends nothing', async () => {
  const api = open(deviceDetail({ mode: 3, intensity: 20 }));
  await slide(20);
  expect(api.count(SAVE)).toBe(0);
});

test('a refused intensity shows the reason, and the slider returns', async () => {
  open(deviceDetail({ mode: 3, intensity: 20 }), () => problem(422, 'invalid', { detail: 'Must be at most 49.' }));
  await slide(49);
  expect(await screen.findByText('Failed to save device settings. Must be at most 49.')).toBeVisible();
  const input = await slider();
  await waitFor(() => expect(input).toHaveValue('20'));
});

test.each([
  ['AQ290', 1, '49'],
  ['AQ290', 2, '45'],
  ['AQ290', 3, '40'],
  ['AQ380', 3, '50'],
])('with %s and off-cycle %s the slider ends at %s', async (systemConfiguration, cycle, max) => {
  open(deviceDetail({ systemConfiguration, cycle }));
  expect(await slider()).toHaveAttribute('max', max);
  expect(await slider()).toHaveAttribute('min', '1');
});

test('for an offline device the slider shows the requested and the tile the reported intensity', async () => {
  const commands = { intensity: { ...COMMAND, value: 7, reported: 20 } };
  const shownIntensity = { value: 20, schedule: null };
  open(deviceDetail({ mode: 3, connectionStatus: 'Offline', intensity: 7, shownIntensity, commands }));
  expect(await slider()).toHaveValue('7');
  expect(screen.getByText('of 49').parentElement).toHaveTextContent(/^20of 49last known7 requested$/);
  expect(screen.getAllByText(/^As reported /)).toHaveLength(2);
  expect(await slider()).toHaveAccessibleDescription(
    'This device is offline. It applies a new intensity when it reconnects.',
  );
});

test('an unconfirmed value of an online device is not marked as reported', async () => {
  open(deviceDetail({ mode: 3, intensity: 7, commands: { intensity: { ...COMMAND, value: 7, reported: 20 } } }));
  expect(await screen.findByText(/device reports 20$/)).toBeVisible();
  expect(screen.getAllByText(/^As reported /)).toHaveLength(1);
});

const SCHEDULED = scheduleOf({ 3: { active: true, dayOfTheWeek: 0, intensity: 25, startHour: 6, stopHour: 22 } });
const RUNNING = { mode: 4, schedule: SCHEDULED, shownIntensity: { value: 25, schedule: 3 } };

test('while a schedule sets the intensity, a link with its entry opened replaces the slider', async () => {
  const commands = { intensity: { ...CONFIRMED, value: 48, reported: 48 } };
  const api = open(deviceDetail({ ...RUNNING, commands }));
  const link = await screen.findByRole('link', { name: 'Change Schedule 3 (now 25)' });
  expect(screen.getByText('Schedule 3 sets the intensity.')).toBeVisible();
  expect(screen.queryByRole('slider', { name: 'Intensity' })).toBeNull();
  expect(screen.queryByRole('button', { name: /intensity by 1$/ })).toBeNull();
  // What the device confirmed has no effect now.
  expect(screen.getByText(/^Device intensity: Confirmed /)).toBeVisible();
  await userEvent.click(link);
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit Schedule 3' }));
  expect(dialog.getByRole('textbox', { name: 'Intensity' })).toHaveValue('25');
  expect(api.count(SAVE)).toBe(0);
});

const OUTSIDE = { ...RUNNING, shownIntensity: { value: 48, schedule: null } };
const requestedMode = (value: number, reported: number) => ({ mode: { ...COMMAND, value, reported } });

test.each<[string, Partial<DeviceDetail>, string | null]>([
  ['outside the schedule', OUTSIDE, 'Change the schedule'],
  ['offline inside the schedule', { ...RUNNING, connectionStatus: 'Offline' }, 'Change Schedule 3 (last known 25)'],
  ['in Run mode without a schedule', { mode: 4 }, null],
  ['in another mode', { ...OUTSIDE, mode: 3 }, null],
  [
    'offline, with 24/7 requested',
    { ...OUTSIDE, connectionStatus: 'Offline', mode: 3, commands: requestedMode(3, 4) },
    null,
  ],
  [
    'offline, with Run requested',
    { ...OUTSIDE, connectionStatus: 'Offline', mode: 4, commands: requestedMode(4, 3) },
    'Change the schedule',
  ],
])('a device %s has the slider only where it has an effect', async (_, part, link) => {
  open(deviceDetail(part));
  if (link === null) expect(await slider()).toBeEnabled();
  else {
    expect(await screen.findByRole('link', { name: link })).toBeVisible();
    expect(screen.queryByRole('slider', { name: 'Intensity' })).toBeNull();
  }
});

test('the settings say that the intensity has no effect in Run mode with a schedule', async () => {
  open(deviceDetail(RUNNING));
  await userEvent.click(await screen.findByRole('button', { name: 'Settings' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Device Settings' }));
  expect(dialog.getByText('1 to 49. No effect in Run mode: the schedule sets the intensity.')).toBeVisible();
  await userEvent.click(dialog.getByRole('radio', { name: '24/7' }));
  expect(dialog.getByText('1 to 49')).toBeVisible();
});

test('mode 2 has no slider', async () => {
  open(deviceDetail({ mode: 2 }));
  expect(await slider()).toBeDisabled();
  expect(await slider()).toHaveAccessibleDescription(/^Mode 2 /);
});

test('users who may not edit see the value without a slider', async () => {
  open(deviceDetail({ can: { edit: false, copy: false, resetLevel: false } }));
  expect(await screen.findByText('48')).toBeVisible();
  expect(screen.queryByRole('slider')).not.toBeInTheDocument();
});

test('a device that never reported shows that nothing is reported yet', async () => {
  open(deviceDetail({ intensity: null, fragranceRemaining: null, lastSeenAt: null }));
  expect(await screen.findAllByText('Not reported yet')).toHaveLength(2);
  expect(await slider()).toHaveValue('1');
});
