import { type Call, deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { FakeIntersectionObserver } from '@test/sight';
import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { DeviceDetail, DeviceForecast, WhatIf } from '@/api/schema.gen';

const DSN = 'AC000W510000001';
const PAGE = `GET /api/devices/dsns/${DSN}`;
const FORECAST = `GET /api/devices/dsns/${DSN}/forecast`;
const WHAT_IF = `POST /api/devices/dsns/${DSN}/forecast`;

/** jsdom does not paint, so the chart is only its label here. */
vi.mock('@/ui/charts/StepChart', () => ({
  StepChart: ({ label, reading }: { label: string; reading: string }) => (
    <>
      <div role="img" aria-label={label} />
      <p>{reading}</p>
    </>
  ),
}));

/** In the browser's time zone, this year. */
const YEAR = new Date().getFullYear();
const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const day = (iso: string) => new Date(iso).toLocaleDateString('en-US', { month: 'short', day: 'numeric' });

const low = { earliest: at(20), median: at(22), latest: at(25) };
const empty = { earliest: at(30), median: at(34), latest: at(40) };

const forecast: DeviceForecast = {
  levels: [{ at: at(-20), value: 45 }],
  level: 40,
  from: at(0),
  course: [
    { percent: 20, ...low },
    { percent: 0, ...empty },
  ],
  low,
  empty,
  mlPerWeek: 19.3,
  basis: 'both',
  obstacle: null,
  asOf: at(0),
};

async function open(answer: (call: Call) => Response, part: Partial<DeviceDetail> = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(deviceDetail({ timeZone: null, ...part })),
    [FORECAST]: answer,
    [WHAT_IF]: () => ok(whatIf),
  });
  renderApp(`/devices/${DSN}`);
  const block = within(await screen.findByRole('region', { name: 'Forecast' }));
  return { api, block };
}

const whatIf: WhatIf = {
  before: { low, empty, mlPerWeek: 19.3, basis: 'both', obstacle: null },
  after: { low, empty: { ...empty, median: at(48) }, mlPerWeek: 13.8, basis: 'both', obstacle: null },
  hasEffect: true,
};

test('dates, use and basis are shown with a chart, and as a table', async () => {
  const { block, api } = await open(() => ok(forecast), { supply: 'forecast', runsDryAt: empty.median });
  expect(screen.getByText(`runs dry ${day(empty.median)}`)).toBeVisible();
  expect(api.calls.filter(({ url }) => url.pathname.endsWith('/forecast'))).toEqual([]);
  FakeIntersectionObserver.scrollThere();
  const dates = `${day(empty.median)} (${day(empty.earliest)} – ${day(empty.latest)})`;
  expect(await block.findByText(dates)).toBeVisible();
  expect(block.getByText(`${day(low.median)} (${day(low.earliest)} – ${day(low.latest)})`)).toBeVisible();
  expect(block.getByText('19 mL a week')).toBeVisible();
  expect(block.getByText('Mode and schedule, corrected by use on recent days')).toBeVisible();
  const label = `Chart of the level, which is expected to reach 0% on ${day(empty.median)}`;
  expect(await block.findByRole('img', { name: label })).toBeVisible();
  await userEvent.click(block.getByRole('button', { name: 'Show as table' }));
  const row = block.getByRole('rowheader', { name: '20%' }).closest('tr');
  const texts = [...(row?.cells ?? [])].map(({ textContent }) => textContent);
  expect(texts).toEqual(['20%', day(low.earliest), day(low.median), day(low.latest)]);
});

test('a date without a known end is open, and a far one has its year', async () => {
  const far = `${YEAR + 2}-06-15T12:00:00Z`;
  const { block } = await open(() =>
    ok({ ...forecast, empty: { earliest: far, median: far, latest: null }, level: 12, low: null }),
  );
  FakeIntersectionObserver.scrollThere();
  expect(await block.findByText(`Jun 15, ${YEAR + 2} (Jun 15, ${YEAR + 2} or later)`)).toBeVisible();
  expect(block.getByText('Already')).toBeVisible();
});

test('of a device that reported more before it went offline, 20 percent are likely reached, not already', async () => {
  const { block } = await open(() => ok({ ...forecast, level: 55, low: null }));
  FakeIntersectionObserver.scrollThere();
  expect(await block.findByText('Likely by now')).toBeVisible();
  expect(block.queryByText('Already')).toBeNull();
});

test('a device without forecast shows the reason', async () => {
  const none = { low: null, empty: null, mlPerWeek: null, basis: null, course: [], obstacle: 'off' } as const;
  const { block } = await open(() => ok({ ...forecast, ...none, course: [] }));
  FakeIntersectionObserver.scrollThere();
  expect(await block.findByText('There is no forecast because the device is off.')).toBeVisible();
});

test('a forecast that cannot be read can be retried', async () => {
  let fails = true;
  const { block } = await open(() => (fails ? problem(500, 'internal') : ok(forecast)));
  FakeIntersectionObserver.scrollThere();
  expect(await block.findByRole('alert')).toHaveTextContent('Failed to load the forecast');
  fails = false;
  await userEvent.click(block.getByRole('button', { name: 'Retry' }));
  expect(await block.findByText('19 mL a week')).toBeVisible();
});

test('the settings dialog shows the effect of changed values', async () => {
  const { api } = await open(() => ok(forecast));
  await userEvent.click(screen.getByRole('button', { name: 'Settings' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Device Settings' }));
  const line = dialog.getByRole('status', { name: 'Effect on use' });
  expect(line).toBeEmptyDOMElement();
  await userEvent.click(dialog.getByRole('radio', { name: '24/7' }));
  const text = `Runs dry on ${day(at(48))} instead of ${day(empty.median)}; 14 instead of 19 mL a week.`;
  expect(await within(line).findByText(text)).toBeVisible();
  const sent = api.calls.filter(({ method }) => method === 'POST').map(({ body }) => body);
  expect(sent).toEqual([{ settings: { mode: 3 } }]);
});
