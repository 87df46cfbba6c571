import { deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { FakeIntersectionObserver } from '@test/sight';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { DeviceHistory } from '@/api/schema.gen';

const DSN = 'AC000W510000001';
const HISTORY = `GET /api/devices/dsns/${DSN}/history`;

/** jsdom paints nothing, so the picture is only its label here. */
const painter = vi.hoisted(() => ({ fails: false }));
vi.mock('@/ui/StepChart', () => ({
  StepChart: ({ label }: { label: string }) => {
    if (painter.fails) throw new Error('the code could not be fetched');
    return <div role="img" aria-label={label} />;
  },
}));

beforeEach(() => {
  painter.fails = false;
});

/** In the reader's own time zone. */
const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();

const history: DeviceHistory = {
  from: at(19, 0),
  to: at(21, 0),
  level: [
    { at: at(19, 0), value: 40 },
    { at: at(20, 12), value: 39 },
  ],
  intensity: [
    { at: at(19, 0), value: 20 },
    { at: at(20, 6), value: 50 },
  ],
  status: [
    { at: at(19, 0), online: true },
    { at: at(20, 18), online: false },
  ],
};

async function open(answer: () => Response) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [`GET /api/devices/dsns/${DSN}`]: () => ok(deviceDetail()),
    [HISTORY]: answer,
  });
  renderApp(`/devices/${DSN}`);
  const block = within(await screen.findByRole('region', { name: 'History' }));
  return { api, block, asTable: block.getByRole('button', { name: 'Show as table' }) };
}

async function openAndLook(part: Partial<DeviceHistory>) {
  const opened = await open(() => ok({ ...history, ...part }));
  FakeIntersectionObserver.scrollThere();
  return opened;
}

test('it is read when somebody scrolls there, and not before', async () => {
  const { api, block } = await open(() => ok(history));
  expect(block.queryByRole('status')).not.toBeInTheDocument();
  expect(api.count(HISTORY)).toBe(0);
  FakeIntersectionObserver.scrollThere();
  const pictures = await block.findAllByRole('img');
  expect(pictures.map((picture) => picture.getAttribute('aria-label'))).toEqual([
    'Chart of Fragrance Remaining, from 40% to 39%',
    'Chart of Intensity, from 20 to 50',
    'Chart of Connection, from Online to Offline',
  ]);
});

const rowsOf = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .map((row) => [...row.children].map(({ textContent }) => textContent));

test('a table says the same day by day, and leads back', async () => {
  const { block, asTable } = await openAndLook({});
  await block.findAllByRole('img');
  await userEvent.click(asTable);
  expect(rowsOf(block.getByRole('table'))).toEqual([
    ['Day', 'Remaining', 'Intensity', 'Online'],
    ['Nov 20', '39%', '20 – 50', '75%'],
    ['Nov 19', '40%', '20', '100%'],
  ]);
  expect(block.getByRole('region', { name: 'History by day' })).toHaveAttribute('tabindex', '0');
  await userEvent.click(block.getByRole('button', { name: 'Show as chart' }));
  expect(block.queryByRole('table')).not.toBeInTheDocument();
});

test('a cloud that keeps no connections is not taken for one that had none', async () => {
  const { block, asTable } = await openAndLook({ status: null });
  expect(await block.findByText('The device cloud keeps no connection history.')).toBeVisible();
  expect(block.getAllByRole('img')).toHaveLength(2);
  await userEvent.click(asTable);
  expect(rowsOf(block.getByRole('table'))[0]).not.toContain('Online');
});

test('what was never reported has no chart', async () => {
  const { block, asTable } = await openAndLook({ intensity: [] });
  expect(await block.findByText('Intensity: nothing reported')).toBeVisible();
  expect(block.getAllByRole('img')).toHaveLength(2);
  await userEvent.click(asTable);
  expect(rowsOf(block.getByRole('table'))[1]).toEqual(['Nov 20', '39%', 'Unknown', '75%']);
});

test.each([
  ['not kept', null],
  ['none', []],
])('without any report there is no history yet, connections: %s', async (_, status) => {
  const { block } = await openAndLook({ level: [], intensity: [], status });
  expect(await block.findByText('No history yet')).toBeVisible();
});

test('a history that fails says why and can be retried; the page stays', async () => {
  let fail = true;
  const { block } = await open(() => (fail ? problem(502, 'cloud_failed', { detail: 'Out of order' }) : ok(history)));
  FakeIntersectionObserver.scrollThere();
  expect(await block.findByText('Failed to load history')).toBeVisible();
  expect(block.getByText('Out of order')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'PL-20310' })).toBeVisible();
  fail = false;
  await userEvent.click(block.getByRole('button', { name: 'Retry' }));
  expect(await block.findAllByRole('img')).toHaveLength(3);
});

test('charts whose code cannot be had are shown as a table', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
  painter.fails = true;
  const { block } = await openAndLook({});
  expect(await block.findByRole('table')).toBeVisible();
});
