import { device, deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { fireEvent, screen, waitFor } from '@testing-library/react';
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
  expect(await screen.findByText('Successfully updated device settings')).toBeVisible();
  await waitFor(() => expect(screen.queryByText('Set to 31')).not.toBeInTheDocument());
  expect(await slider()).toHaveValue('31');
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
  expect(screen.getByText('of 49').parentElement).toHaveTextContent(/^20of 497 requested$/);
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

test('while a schedule runs, a notice says that the slider applies later', async () => {
  open(deviceDetail({ mode: 4, shownIntensity: { value: 25, schedule: 3 } }));
  expect(await slider()).toHaveValue('48');
  expect(await slider()).toHaveAccessibleDescription(/^Schedule 3 sets the intensity now\./);
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
