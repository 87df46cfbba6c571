import { type Call, deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { FakeIntersectionObserver } from '@test/sight';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';
import type { DeviceHistory } from '@/api/schema.gen';
import { weekText } from './week-text';

const DSN = 'AC000W510000001';
const HISTORY = `GET /api/devices/dsns/${DSN}/history`;

/** jsdom does not paint, so the chart is only its label here. */
const painter = vi.hoisted(() => ({ fails: false }));
vi.mock('@/ui/charts/StepChart', () => ({
  StepChart: ({ label, reading, cursor }: { label: string; reading: string; cursor: number | undefined }) => {
    if (painter.fails) throw new Error('the code could not be fetched');
    return (
      <>
        <div role="img" aria-label={label} data-cursor={cursor} />
        <p>{reading}</p>
      </>
    );
  },
}));

beforeEach(() => {
  painter.fails = false;
});

/** In the browser's time zone. */
const at = (day: number, hour: number) => new Date(2026, 10, day, hour).toISOString();

const history: DeviceHistory = {
  from: at(19, 0),
  to: at(21, 0),
  level: [
    { at: at(19, 0), value: 40 },
    { at: at(20, 12), value: 39 },
  ],
  activity: [],
  intensity: [
    { at: at(19, 0), value: 20 },
    { at: at(20, 6), value: 50 },
  ],
  status: [
    { at: at(19, 0), online: true },
    { at: at(20, 18), online: false },
  ],
  statusSince: at(3, 8),
  lastWeek: null,
  marks: [],
};

async function open(answer: (call: Call) => Response, address = `/devices/${DSN}`, timeZone: string | null = null) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [`GET /api/devices/dsns/${DSN}`]: () => ok(deviceDetail({ timeZone })),
    [HISTORY]: answer,
  });
  const { router } = renderApp(address);
  const block = within(await screen.findByRole('region', { name: 'History' }));
  return { api, block, router, asTable: block.getByRole('button', { name: 'Show as table' }) };
}

async function openAndLook(part: Partial<DeviceHistory>, timeZone: string | null = null) {
  const opened = await open(() => ok({ ...history, ...part }), `/devices/${DSN}`, timeZone);
  FakeIntersectionObserver.scrollThere();
  return opened;
}

test('days and times are those of the device, and name its zone', async () => {
  const mark = {
    at: '2026-11-19T20:00:00Z',
    kind: 'refill',
    operation: null,
    author: null,
    changes: [{ field: 'fragranceRemaining', before: 3, after: 100 }],
  } as const;
  const answer = () => ok({ ...history, marks: [{ ...mark, changes: [...mark.changes] }] });
  const { block, asTable } = await open(answer, `/devices/${DSN}`, 'Asia/Kathmandu');
  FakeIntersectionObserver.scrollThere();
  expect(await block.findByText(/time zone of the device, Asia\/Kathmandu/)).toBeVisible();
  await userEvent.click(asTable);
  const row = within((await block.findByRole('rowheader', { name: 'Nov 20' })).closest('tr') as HTMLElement);
  const time = row.getByRole('button', { name: '1:45 AM GMT+5:45' });
  await userEvent.hover(time);
  expect(await screen.findByText(/Your time: /)).toBeInTheDocument();
});

test('the history is read when the user scrolls there, and not before', async () => {
  const { api, block } = await open(() => ok(history));
  expect(block.queryByRole('status')).not.toBeInTheDocument();
  expect(api.count(HISTORY)).toBe(0);
  FakeIntersectionObserver.scrollThere();
  const pictures = await block.findAllByRole('img');
  expect(pictures.map((picture) => picture.getAttribute('aria-label'))).toEqual([
    'Chart of Fragrance Remaining, from 40% to 39%',
    'Chart of Intensity, from 20 to Unknown',
    'Chart of Connection, from Online to Offline',
  ]);
});

const rowsOf = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .map((row) => [...row.children].map(({ textContent }) => textContent));

test('a table shows the history by day and can be switched back to charts', async () => {
  const { block, asTable } = await openAndLook({});
  await block.findAllByRole('img');
  await userEvent.click(asTable);
  expect(rowsOf(await block.findByRole('table'))).toEqual([
    ['Day', 'Online', 'Remaining', 'Intensity'],
    ['Nov 20', '75%', '39%', '20 – 50'],
    ['Nov 19', '100%', '40%', '20'],
  ]);
  expect(block.getByRole('region', { name: 'History by day' })).toHaveAttribute('tabindex', '0');
  await userEvent.click(block.getByRole('button', { name: 'Show as chart' }));
  expect(block.queryByRole('table')).not.toBeInTheDocument();
});

test('a cloud without connection history shows no connection chart', async () => {
  const { block, asTable } = await openAndLook({ status: null });
  expect(await block.findByText('The device cloud keeps no connection history.')).toBeVisible();
  expect(block.getAllByRole('img')).toHaveLength(2);
  await userEvent.click(asTable);
  expect(rowsOf(await block.findByRole('table'))[0]).not.toContain('Online');
});

test('a value that was never reported has no chart', async () => {
  const { block, asTable } = await openAndLook({ intensity: [] });
  expect(await block.findByText('Intensity: nothing reported')).toBeVisible();
  expect(block.getAllByRole('img')).toHaveLength(2);
  await userEvent.click(asTable);
  expect(rowsOf(await block.findByRole('table'))[1]).toEqual(['Nov 20', '75%', '39%', 'Unknown']);
});

test.each([
  ['not kept', null],
  ['none', []],
])('without any report there is no history yet, connections: %s', async (_, status) => {
  const { block } = await openAndLook({ level: [], intensity: [], status });
  expect(await block.findByText('No history yet')).toBeVisible();
});

test('a failed history shows the reason and can be retried; the page stays', async () => {
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

test('days are shown in a zone whose clocks go forward at midnight', async () => {
  const [from, to] = ['2026-09-05T12:00:00Z', '2026-09-07T12:00:00Z'];
  const { block, asTable } = await openAndLook(
    { from, to, level: [{ at: from, value: 40 }], intensity: [], status: null },
    'America/Santiago',
  );
  await userEvent.click(asTable);
  const days = rowsOf(await block.findByRole('table')).slice(1);
  expect(days.map(([day]) => day)).toEqual(['Sep 7', 'Sep 6', 'Sep 5']);
});

test('charts whose code cannot be loaded are shown as a table', async () => {
  vi.spyOn(console, 'error').mockReturnValue();
  vi.spyOn(console, 'warn').mockReturnValue();
  painter.fails = true;
  const { block } = await openAndLook({});
  expect(await block.findByRole('table')).toBeVisible();
});

const daysAsked = ({ calls }: { calls: Call[] }) =>
  calls.filter(({ url }) => url.pathname.endsWith('/history')).map(({ url }) => url.searchParams.get('days'));

test('another range is read, stays in the URL, and is read at once from a URL', async () => {
  const { api, block, router } = await open(() => ok(history));
  FakeIntersectionObserver.scrollThere();
  const ranges = await block.findByRole('radiogroup', { name: 'Range' });
  expect(
    within(ranges)
      .getAllByRole('radio')
      .map((radio) => radio.getAttribute('value')),
  ).toEqual(['1', '7', '30', '60']);
  expect(within(ranges).getByRole('radio', { name: '60 days' })).toBeChecked();
  await userEvent.click(within(ranges).getByRole('radio', { name: '24 h' }));
  await waitFor(() => expect(daysAsked(api)).toEqual(['60', '1']));
  expect(router.state.location.href).toBe(`/devices/${DSN}?history=1`);
  await userEvent.click(within(ranges).getByRole('radio', { name: '60 days' }));
  await waitFor(() => expect(router.state.location.href).toBe(`/devices/${DSN}`));
});

test.each([
  ['7', '7'],
  ['8', '60'],
  ['', '60'],
  ['7&history=30', '7'],
  ['x'.repeat(1_000), '60'],
])('a URL with the range %s reads %s days', async (range, days) => {
  const { api, block } = await open(() => ok(history), `/devices/${DSN}?history=${range}`);
  FakeIntersectionObserver.scrollThere();
  await block.findAllByRole('img');
  expect(daysAsked(api)).toEqual([days]);
});

test('ranges longer than the data are not offered, and the selected one fits it', async () => {
  const { block } = await openAndLook({
    from: at(1, 0),
    level: [{ at: at(18, 0), value: 40 }],
    intensity: [],
    status: [],
  });
  const ranges = await block.findByRole('radiogroup', { name: 'Range' });
  expect(
    within(ranges)
      .getAllByRole('radio')
      .map((radio) => radio.getAttribute('value')),
  ).toEqual(['1', '7']);
  expect(within(ranges).getByRole('radio', { name: '7 days' })).toBeChecked();
});

test('data of less than a day offers no ranges', async () => {
  const { block } = await openAndLook({ level: [{ at: at(20, 12), value: 40 }], intensity: [], status: [] });
  await block.findAllByRole('img');
  expect(block.queryByRole('radiogroup')).not.toBeInTheDocument();
});

test('the cursor moves by keyboard and describes the values, and Escape returns to now', async () => {
  const { block } = await openAndLook({});
  const cursor = await block.findByRole('slider', { name: 'Time in the charts' });
  expect(block.getByText('Time in the charts')).toBeVisible();
  expect(cursor).toHaveAttribute('aria-valuetext', 'Now');
  const lastKnown = 'Last known: 39% · Nov 20, 2026, 6:00 PM';
  expect(block.getByText(lastKnown)).toBeVisible();
  // jsdom does not move a range input by keys.
  fireEvent.change(cursor, { target: { value: '100' } });
  expect(cursor).toHaveAttribute(
    'aria-valuetext',
    'Nov 20, 2026, 12:00 AM, Fragrance Remaining 40%, Intensity 20, Connection Online',
  );
  expect(block.getByText('40% · Nov 20, 2026, 12:00 AM')).toBeVisible();
  expect(block.getByText('Online · Nov 20, 2026, 12:00 AM')).toBeVisible();
  fireEvent.keyDown(cursor, { key: 'Escape' });
  expect(cursor).toHaveAttribute('aria-valuetext', 'Now');
  expect(block.getByText(lastKnown)).toBeVisible();
  fireEvent.change(cursor, { target: { value: '190' } });
  expect(block.getByText(lastKnown)).toBeVisible();
  expect(cursor).toHaveAttribute('aria-valuetext', expect.stringContaining(`Fragrance Remaining ${lastKnown}`));
});

const MARKS: DeviceHistory['marks'] = [
  {
    at: at(20, 6),
    kind: 'command',
    operation: 'update_device_settings',
    author: null,
    changes: [{ field: 'intensity', before: 20, after: 50 }],
  },
  {
    at: at(20, 12),
    kind: 'refill',
    operation: null,
    author: null,
    changes: [{ field: 'fragranceRemaining', before: 3, after: 100 }],
  },
];

test('commands and refills are counted, read at the cursor, and listed by day', async () => {
  const { block, asTable } = await openAndLook({ marks: MARKS });
  expect(await block.findByText('1 command')).toBeVisible();
  expect(block.getByText('1 refill')).toBeVisible();
  const cursor = block.getByRole('slider', { name: 'Time in the charts' });
  fireEvent.change(cursor, { target: { value: '125' } });
  expect(block.getByText('Intensity 20 → 50 · Nov 20, 2026, 6:00 AM')).toBeVisible();
  expect(cursor).toHaveAttribute('aria-valuetext', expect.stringContaining('Intensity 20 → 50'));
  fireEvent.change(cursor, { target: { value: '150' } });
  expect(block.getByText('Refill to 100% · Nov 20, 2026, 12:00 PM')).toBeVisible();
  await userEvent.click(asTable);
  const [head, day] = rowsOf(await block.findByRole('table'));
  expect([head?.at(-1), day?.at(-1)]).toEqual(['Events', '6:00 AM Intensity 20 → 5012:00 PM Refill to 100%']);
});

test('the block explains what the device does now and did at the cursor, and why', async () => {
  const activity: DeviceHistory['activity'] = [
    { at: at(19, 0), activity: 'paused' },
    { at: at(19, 9), activity: 'running' },
    { at: at(20, 12), activity: 'off' },
  ];
  const marks: DeviceHistory['marks'] = [
    {
      at: at(20, 11),
      kind: 'command',
      operation: 'update_device_settings',
      author: 'ann@example.com',
      changes: [{ field: 'mode', before: 4, after: 1 }],
    },
  ];
  const { block, asTable } = await openAndLook({ activity, marks });
  const pictures = (await block.findAllByRole('img')).map((picture) => picture.getAttribute('aria-label'));
  expect(pictures).toContain('Chart of Activity, from Paused to Unknown');
  const off = 'Off since Nov 20, 2026, 12:00 PM. Mode Run → Off, by ann@example.com · Nov 20, 2026, 11:00 AM.';
  expect(block.getByText(`Unknown: offline since Nov 20, 2026, 6:00 PM. Last known: ${off}`)).toBeVisible();
  // Neither activity nor intensity is known now.
  expect(block.getAllByText('now Unknown')).toHaveLength(2);
  const cursor = block.getByRole('slider', { name: 'Time in the charts' });
  fireEvent.change(cursor, { target: { value: '20' } });
  const paused = 'Paused: no time of the schedule is running until Nov 19, 2026, 9:00 AM.';
  expect(block.getByText(paused)).toBeVisible();
  expect(cursor).toHaveAttribute('aria-valuetext', expect.stringContaining(paused));
  await userEvent.click(asTable);
  expect(rowsOf(await block.findByRole('table')).map((row) => row[1])).toEqual(['On', '12 h', '15 h']);
});

const WEEK = {
  from: '2026-11-15T23:00:00Z',
  to: '2026-11-22T23:00:00Z',
  ranHours: 58.4,
  plannedHours: 60,
  usedMl: 40.6,
};

test.each([
  [{}, 'Ran 58 of 60 scheduled hours last week (Nov 16 – Nov 22), used 41 mL.'],
  [{ usedMl: null }, 'Ran 58 of 60 scheduled hours last week (Nov 16 – Nov 22), use unknown.'],
  [{ plannedHours: null }, 'Ran 58 hours last week (Nov 16 – Nov 22), scheduled hours unknown, used 41 mL.'],
  [{ ranHours: null, usedMl: null }, 'Ran an unknown part of 60 scheduled hours last week (Nov 16 – Nov 22).'],
  [{ ranHours: null, plannedHours: null, usedMl: null }, 'Unknown how long it ran last week (Nov 16 – Nov 22).'],
])('the sentence about the last week with %j is in the zone of the device', (part, text) => {
  expect(weekText({ ...WEEK, ...part }, 'Europe/Oslo')).toBe(text);
});

test('the block says what the device did last week', async () => {
  const { block } = await openAndLook({ lastWeek: WEEK }, 'Europe/Oslo');
  expect(await block.findByText(weekText(WEEK, 'Europe/Oslo'))).toBeVisible();
});

test('a device that was offline before the range says since when, and nothing of its activity', async () => {
  const { block } = await openAndLook({
    activity: [{ at: at(19, 0), activity: 'running' }],
    status: [{ at: at(19, 0), online: false }],
  });
  const text = 'Unknown: offline since Nov 3, 2026, 8:00 AM.';
  expect(await block.findByText(text)).toBeVisible();
});
