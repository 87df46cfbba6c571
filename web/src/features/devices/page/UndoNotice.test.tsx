import { device, deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { auditEntry, auditPage } from '@test/fake-audit';
import { renderApp } from '@test/render-app';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import type { LevelReset } from '@/api/schema.gen';

const { dsn } = device();
const PAGE = `GET /api/devices/dsns/${dsn}`;
const RESET = `POST /api/devices/dsns/${dsn}/fragrance-level/reset`;
const UNDO = `POST /api/devices/dsns/${dsn}/fragrance-level/resets/r1/undo`;
const LOW = deviceDetail({ fragranceRemaining: 12 });
const FULL = deviceDetail({ fragranceRemaining: 100 });
const UNDOABLE: LevelReset = {
  fragranceRemaining: 12,
  cartridgeLife: 412.6,
  undo: { id: 'r1', until: '2026-11-20T12:00:30Z' },
};

afterEach(() => {
  vi.useRealTimers();
});

/** Opens the page and resets the level. */
async function reset(done = UNDOABLE, undo = () => ok(LOW)) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(api.count(RESET) === 0 ? LOW : FULL),
    [RESET]: () => ok({ ...FULL, reset: done }),
    [UNDO]: undo,
  });
  renderApp(`/devices/${dsn}`);
  fireEvent.click(await screen.findByRole('button', { name: 'Reset Fragrance Level' }));
  await screen.findByText('Updated Fragrance Level');
  return api;
}

test('a reset describes its effect, and Undo restores the values and announces it', async () => {
  const api = await reset();
  const undo = await screen.findByRole('button', { name: 'Undo' });
  expect(screen.getByText('Level set from 12% to 100%, cartridge life from 17 days to 0 h')).toBeVisible();
  fireEvent.click(undo);
  expect(await screen.findByText('Level set from 100% to 12%, cartridge life from 0 h to 17 days')).toBeVisible();
  expect(screen.getByText('Undid the reset')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
  expect(screen.getByText('12%')).toBeVisible();
  expect(api.count(UNDO)).toBe(1);
});

test('the remaining seconds are shown, and then Undo disappears', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await reset();
  expect(await screen.findByText(/· (30|29) s$/)).toBeVisible();
  act(() => void vi.advanceTimersByTime(20_000));
  expect(screen.getByText(/· (10|9) s$/)).toBeVisible();
  act(() => void vi.advanceTimersByTime(10_000));
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
});

test('a refused undo shows the reason and disappears; a failed one can be retried', async () => {
  let answer = () => problem(502, 'cloud_failed', { detail: 'Out of order' });
  await reset(UNDOABLE, () => answer());
  fireEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Failed to undo the reset. Out of order')).toBeVisible();
  answer = () => problem(409, 'conflict', { detail: 'Too late' });
  await waitFor(() => expect(screen.getByRole('button', { name: 'Undo' })).toBeEnabled());
  fireEvent.click(screen.getByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('Failed to undo the reset. Too late')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
  expect(screen.getByText('100%')).toBeVisible();
});

test('a reset of an unknown level has no Undo but describes its effect', async () => {
  await reset({ fragranceRemaining: null, cartridgeLife: 20, undo: null });
  expect(screen.getByText('Level set from Unknown to 100%, cartridge life from 20 h to 0 h')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
});

test.each([
  ['beside its entry', 1],
  ['above the changes that are newer', 0],
])('a reset that can still be undone is undone from Changes, %s', async (_, resets) => {
  const undoableReset = { id: 'r1', cartridgeLife: 412.6, fragranceRemaining: 12 };
  const [reset, settings] = ['reset_fragrance_level', 'update_device_settings'] as const;
  const entries = [settings, ...Array(resets).fill(reset)].map((operation, place) =>
    auditEntry({ id: String(place), operation }),
  );
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/audit': () => ok(auditPage(entries)),
    [PAGE]: () => ok(api.count(UNDO) === 0 ? deviceDetail({ fragranceRemaining: 100, undoableReset }) : LOW),
    [UNDO]: () => ok(LOW),
  });
  renderApp(`/devices/${dsn}`);
  const changes = within(await screen.findByRole('region', { name: 'Changes' }));
  const undo = await changes.findByRole('button', { name: 'Undo this reset' });
  expect(undo.closest('li') !== null).toBe(resets > 0);
  if (resets > 0) expect(undo.closest('li')).toHaveTextContent('Reset fragrance level');
  fireEvent.click(undo);
  expect(await screen.findByText('Level set from 100% to 12%, cartridge life from 0 h to 17 days')).toBeVisible();
  await waitFor(() => expect(changes.queryByRole('button', { name: 'Undo this reset' })).not.toBeInTheDocument());
  expect(api.count(UNDO)).toBe(1);
});
