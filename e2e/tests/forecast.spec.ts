import { readFileSync } from 'node:fs';
import type { APIRequestContext, Download, Locator, Page } from '@playwright/test';
import type { DeviceCounts, DeviceForecast, DeviceList, DeviceView, WhatIf } from '../../web/src/api/schema.gen';
import { expectAccessible, expectAccessibleInBothSchemes } from '../harness/axe';
import { csvRecords } from '../harness/csv';
import { expect, test } from '../harness/fixtures';
import { type Fleet, readDevice, readDevices } from '../harness/fleet';
import { cspOf } from '../harness/people';
import { openSchedule } from '../harness/schedules';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { ReportDialog } from '../screens/report-dialog';
import { DESK, PHONE } from '../screens/sizes';

const DAY_MS = 24 * 3_600_000;
const STATEMENT = /(empty since|runs dry) [A-Z][a-z]{2} \d+/;
/** Runs by its schedule, and has a forecast for the next half year, whose dates have no year. */
const runsByItsSchedule = ({ mode, runsDryAt }: DeviceView) =>
  mode === 4 && runsDryAt !== null && Date.parse(runsDryAt) < Date.now() + 150 * DAY_MS;

async function listed(api: APIRequestContext, params: Record<string, string | number>): Promise<DeviceList> {
  return (await api.get('/api/devices', { params: { pageSize: 50, ...params } })).json();
}

/** Waits until the console has made its first forecasts, and returns devices that have one and run by their schedules. */
async function predictable(api: APIRequestContext): Promise<Set<string>> {
  const found = async () => (await readDevices(api)).filter(runsByItsSchedule).map(({ dsn }) => dsn);
  await expect.poll(async () => (await found()).length).toBeGreaterThan(15);
  return new Set(await found());
}

/** Claims a predictable device after the console has read its history, which changes its forecast. */
async function claimPredictable(api: APIRequestContext, fleet: Fleet): Promise<string> {
  const dsns = await predictable(api);
  const { dsn } = fleet.claim((device) => dsns.has(device.dsn));
  const basis = async () => (await (await api.get(`/api/devices/dsns/${dsn}/forecast`)).json()).basis;
  await expect.poll(basis).toBe('both');
  expect(runsByItsSchedule(await readDevice(api, dsn))).toBe(true);
  return dsn;
}

/** Checks that the shown list is the one of the API with these parameters. */
async function expectList(list: DeviceListScreen, api: APIRequestContext, params: Record<string, string | number>) {
  // Forecasts become better while the console reads the history of the devices.
  await expect(async () => {
    const { devices } = await listed(api, { orderBy: 'runsdry', order: 'asc', ...params });
    expect(devices.length).toBeGreaterThan(0);
    expect(await list.dsns()).toEqual(devices.map(({ dsn }) => dsn));
  }).toPass();
}

/** Checks that the reports of the shown list have its devices in its order, each with the date that the list has. */
async function expectReports(page: Page, api: APIRequestContext, params: Record<string, string | number>) {
  const dialog = new ReportDialog(page);
  const printed = await page.context().newPage();
  // Forecasts become better while the console reads the history of the devices.
  await expect(async () => {
    const { devices, total } = await listed(api, { orderBy: 'runsdry', order: 'asc', ...params });
    expect(devices).toHaveLength(total);
    const dates = devices.map((device) => [device.dsn, dayOf(device)]);
    const foretold = devices.flatMap(({ supply, runsDryAt }) => (supply === 'forecast' ? [runsDryAt ?? ''] : []));
    expect(foretold.length).toBeGreaterThan(1);
    expect(foretold).toEqual([...foretold].sort());

    const [header = [], ...rows] = await csvRecords(await dialog.save('CSV'));
    const [dsn, date] = [header.indexOf('DSN'), header.indexOf('Runs Dry')];
    expect(rows.map((cells) => [cells[dsn], cells[date]])).toEqual(dates);

    await printed.setContent(await textOf(await dialog.save('Printable')));
    await expect(printed.getByRole('columnheader').filter({ hasText: 'Runs Dry' })).toHaveCount(1);
    const texts = await printed.locator('tbody').getByRole('row').allInnerTexts();
    expect(texts.map((text) => /AC000W\d+/.exec(text)?.[0])).toEqual(dates.map(([dsn]) => dsn));
    for (const [place, text] of texts.entries()) expect(text).toContain(dates[place]?.[1] ?? 'no date');
  }).toPass();
  await printed.close();
}

/** The date of the forecast in the device's time zone. */
function dayOf({ runsDryAt, timeZone }: DeviceView): string {
  const format = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeZone: timeZone ?? 'UTC' });
  return runsDryAt === null ? '' : format.format(new Date(runsDryAt));
}

async function textOf(download: Download): Promise<string> {
  return readFileSync(await download.path(), 'utf8');
}

/** The forecast with levels that may be reached a quarter sooner or half as late again. */
function widened({ from, course, ...rest }: DeviceForecast): DeviceForecast {
  const begin = Date.parse(from);
  const after = (at: string, factor: number) => new Date(begin + (Date.parse(at) - begin) * factor).toISOString();
  const wide = course.map((point) => ({
    ...point,
    earliest: after(point.median, 0.75),
    latest: after(point.median, 1.5),
  }));
  return { ...rest, from, course: wide };
}

/**
 * The share of painted pixels of the chart inside the band and around it, when half of the level is left. Lines of the grid
 * cross both.
 */
async function paintedShares(chart: Locator, { level, from, course, levels }: DeviceForecast) {
  const times = [...course.map(({ latest }) => latest), from, ...levels.map(({ at }) => at)].flatMap((at) =>
    at === null ? [] : [Date.parse(at)],
  );
  const [begin, end] = [Math.min(...times), Math.max(...times)];
  // When the median reaches a level, the fast and the slow curve are below and above it.
  const half = course.find(({ percent }) => percent <= (level ?? 0) / 2);
  if (!half) throw new Error('the forecast does not reach half of the level');
  const at = Date.parse(half.median);
  const on = (name: 'earliest' | 'latest') => {
    const known = course.flatMap(({ percent, [name]: time }) => (time === null ? [] : [[Date.parse(time), percent]]));
    const curve = [[Date.parse(from), level ?? 0], ...known] as [number, number][];
    const next = curve.findIndex(([time]) => time >= at);
    const [[late, low], [early, high]] = [curve[next] ?? [at, 0], curve[next - 1] ?? [at, 0]];
    return next < 0 ? 0 : high + ((low - high) * (at - early)) / (late - early);
  };
  const [least, most] = [on('earliest'), on('latest')];
  await chart.scrollIntoViewIfNeeded();
  return chart.evaluate(
    (element, [x, least, most]) => {
      const canvas = element.querySelector('canvas') as HTMLCanvasElement;
      const [plot, all] = [element.querySelector('.u-over'), canvas].map((it) =>
        (it as Element).getBoundingClientRect(),
      );
      if (!plot || !all) throw new Error('there is no plot');
      const ratio = canvas.width / all.width;
      const column = Math.round((plot.left - all.left + x * plot.width) * ratio);
      const row = (percent: number) => Math.round((plot.top - all.top + (1 - percent / 100) * plot.height) * ratio);
      const painted = (top: number, bottom: number) => {
        const { data } = (canvas.getContext('2d') as CanvasRenderingContext2D).getImageData(
          column,
          top,
          1,
          bottom - top,
        );
        const alphas = data.filter((_, index) => index % 4 === 3);
        return alphas.filter((alpha) => alpha > 0).length / alphas.length;
      };
      const margin = 3 * ratio;
      return {
        height: (row(least) - row(most)) / ratio,
        above: painted(row(100) + margin, row(most) - margin),
        inside: painted(row(most) + margin, row(least) - margin),
        below: painted(row(least) + margin, row(0) - margin),
      };
    },
    [(at - begin) / (end - begin), least, most] as const,
  );
}

test.use({ world: 'forecasts' });

test('the devices that run dry first are listed first, and those that do so in time are found', async ({
  open,
  people,
  fleet: _,
}) => {
  const api = await people.api('admin');
  await predictable(api);
  const page = await open('admin', DESK);
  await page.goto('/devices?page_size=50');
  const list = new DeviceListScreen(page);
  await list.sortBy('Runs Dry').click();
  await expect(page).toHaveURL('/devices?page_size=50&order=asc&order_by=runsdry');
  await expectList(list, api, {});
  await expect(list.rows.first()).toContainText(STATEMENT);

  const byDays = await list.openFilter();
  await byDays.field('Runs dry in').click();
  await page.getByRole('option', { name: '30 days', exact: true }).click();
  await byDays.apply.click();
  await expect(page).toHaveURL(/[?&]runsdrydays=30/);
  await expect(list.chip('Runs dry in')).toContainText('30 days');
  await expectList(list, api, { runsdrydays: 30 });
  const report = await (await api.get('/api/devices/report', { params: { runsdrydays: 30 } })).json();
  expect(report.filters).toEqual({ runsdrydays: '30' });
  for (const { runsDryAt, supply } of report.items) {
    if (supply === 'forecast') expect(Date.parse(runsDryAt)).toBeLessThan(Date.now() + 30 * DAY_MS);
  }
  await expectReports(page, api, { runsdrydays: 30 });

  await list.clearFilters.click();
  await expect(page).not.toHaveURL(/runsdrydays/);
  const day = new Date(Date.now() + 40 * DAY_MS).toISOString().slice(0, 10);
  const byDate = await list.openFilter();
  await byDate.root.getByLabel('Runs dry before').fill(day);
  await expectAccessible(page, 'filter dialog');
  await byDate.apply.click();
  await expect(page).toHaveURL(new RegExp(`[?&]runsdrybefore=${day}`));
  await expect(list.chip('Runs dry before')).toBeVisible();
  await expectList(list, api, { runsdrybefore: day });
});

test('empty and low devices are in the list of what runs dry, and stay there', async ({ open, people, fleet }) => {
  const api = await people.api('admin');
  await predictable(api);
  // Once no history is left to read, levels and forecasts change slowly.
  await expect.poll(async () => (await readDevices(api)).some(({ isProvisional }) => isProvisional)).toBe(false);
  const { dsn } = fleet.claim(({ fragranceRemaining }) => fragranceRemaining === 0);
  const page = await open('admin', DESK);
  await page.goto('/devices?page_size=50');
  const list = new DeviceListScreen(page);
  await page.getByRole('button', { name: /^Runs dry in 7 days \d+$/ }).click();
  const expectAgreement = async () => {
    await expect(async () => {
      const fleet = await readDevices(api);
      const rank = ['empty', 'forecast', 'no_contact', 'low'];
      const soon = Date.now() + 7 * DAY_MS;
      const needs = fleet.filter(
        ({ supply, runsDryAt }) =>
          supply !== 'other' && (supply !== 'forecast' || (runsDryAt !== null && Date.parse(runsDryAt) < soon)),
      );
      const dsns = needs.map(({ dsn }) => dsn).sort();
      const { devices, total } = await listed(api, { runsdrydays: 7, orderBy: 'runsdry', order: 'asc' });
      expect(devices.map(({ dsn }) => dsn).sort()).toEqual(dsns);
      const ranks = devices.map(({ supply }) => rank.indexOf(supply));
      expect(ranks).toEqual([...ranks].sort());
      expect(await list.dsns()).toEqual(devices.map(({ dsn }) => dsn));
      const counts: DeviceCounts = await (await api.get('/api/devices/counts')).json();
      expect([total, counts.runsDry]).toEqual([dsns.length, dsns.length]);
      const chip = page.getByRole('button', { name: /^Runs dry in 7 days \d+$/ });
      expect(await chip.innerText()).toMatch(new RegExp(`\\s${dsns.length}$`));
      const report = await (await api.get('/api/devices/report', { params: { runsdrydays: 7 } })).json();
      expect(report.items).toHaveLength(dsns.length);
      // No empty device is missing, and none at 20 percent or less that has no forecast.
      for (const { dsn, supply, fragranceRemaining } of fleet) {
        if (fragranceRemaining === 0) expect([dsn, supply]).toEqual([dsn, 'empty']);
        if ((fragranceRemaining ?? 100) <= 20 && supply !== 'forecast') expect(dsns).toContain(dsn);
      }
      const empty = fleet.filter(({ supply }) => supply === 'empty').map(({ dsn }) => dsn);
      const { items } = await (await api.get('/api/attention', { params: { kind: 'empty', limit: 50 } })).json();
      expect(items.map((item: { dsn: string }) => item.dsn).sort()).toEqual(empty.sort());
    }).toPass();
    await expect(list.row(dsn)).toContainText(/empty since [A-Z][a-z]{2} \d+/);
    await expect(page.getByRole('rowheader').first()).toHaveText('Empty');
  };
  await expectAgreement();
  await expectAccessibleInBothSchemes(page, 'list in the order of need');

  await page.goto(`/devices/${dsn}`);
  await expect(page.getByText(/^empty since [A-Z][a-z]{2} \d+$/)).toBeVisible();
  const dialog = await new DeviceScreen(page).edit();
  await dialog.intensity.fill('7');
  await dialog.save.click();
  await expect(page.getByText(/^empty since [A-Z][a-z]{2} \d+$/)).toBeVisible();
  await page.goto('/devices?page_size=50&runsdrydays=7&order=asc&order_by=runsdry');
  await expectAgreement();
});

for (const [name, size] of [
  ['phone', PHONE],
  ['desk', DESK],
] as const) {
  test(`the figures above the list filter it and agree with it, on a ${name}`, async ({ open, people, fleet: _ }) => {
    const api = await people.api('admin');
    await predictable(api);
    const page = await open('admin', size);
    await page.goto('/devices');
    const figures = page.getByRole('group', { name: 'Quick filters' });
    for (const [label, member, filter, order] of [
      ['Online', 'online', 'connectionstatus=Online', ''],
      ['Offline', 'offline', 'connectionstatus=Offline', ''],
      ['Runs dry in 7 days', 'runsDry', 'runsdrydays=7', 'order=asc&order_by=runsdry&'],
    ] as const) {
      const figure = figures.getByRole('button', { name: new RegExp(`^${label} \\d+$`) });
      await figure.click();
      await expect(page).toHaveURL(`/devices?${order}${filter}`);
      await expect(figure).toHaveAttribute('aria-pressed', 'true');
      await expect(async () => {
        const counts: DeviceCounts = await (await api.get('/api/devices/counts')).json();
        const count = counts[member];
        expect((await listed(api, Object.fromEntries(new URLSearchParams(filter)))).total).toBe(count);
        // The count may have changed since it was read, so these do not wait.
        expect(await figure.innerText()).toMatch(new RegExp(`^${label}\\s+${count}$`));
        const shown = count > 0 ? new RegExp(`^Devices 1 - \\d+ of ${count}$`) : 'No results';
        expect(await page.getByText(shown).isVisible()).toBe(true);
      }).toPass();
      await figure.click();
      await expect(page).toHaveURL('/devices');
    }
    await expect(page.getByRole('main')).toContainText(/Devices 1 - 5 of 60/);
    const tops = await figures
      .locator('button, a')
      .evaluateAll((all) => all.map((it) => it.getBoundingClientRect().top));
    expect(new Set(tops).size, 'one row').toBe(1);
    await expectAccessibleInBothSchemes(page, 'figures');
    const attention = figures.getByRole('link', { name: /^Needs attention \d+$/ });
    await expect(async () => {
      const { new: count } = await (await api.get('/api/attention/count')).json();
      expect(await attention.innerText()).toMatch(new RegExp(`^Needs attention\\s+${count}$`));
    }).toPass();
    await attention.click();
    await expect(page).toHaveURL('/attention?state=new');
  });

  test(`a device shows its forecast with a band as chart and table, on a ${name}`, async ({ open, people, fleet }) => {
    const api = await people.api('admin');
    const dsns = await predictable(api);
    const { dsn } = fleet.find((device) => device.csp === cspOf('cspTech') && dsns.has(device.dsn));
    const page = await open('cspTech', size);
    let shown: DeviceForecast | undefined;
    // The use of the demo's devices is so regular that the band would be as thin as its line.
    await page.route('**/api/devices/dsns/*/forecast', async (route) => {
      const response = await route.fetch();
      shown = widened(await response.json());
      await route.fulfill({ response, json: shown });
    });
    await page.goto(`/devices/${dsn}`);
    const { forecast } = new DeviceScreen(page);
    await expect(page.getByText(/^runs dry [A-Z][a-z]{2} \d+$/)).toBeVisible();
    await forecast.lookAt();
    await expect(forecast.chart).toBeVisible();
    await expect(forecast.fact('Runs dry')).toHaveText(/^[A-Z][a-z]{2} \d+ \([A-Z][a-z]{2} \d+ – [A-Z][a-z]{2} \d+\)$/);
    await expect(forecast.fact('Expected use')).toHaveText(/^\d+(\.\d)? mL a week$/);
    await expect(forecast.fact('Based on')).toHaveText(/^(Mode and schedule|Use on recent days)/);
    const { height, above, inside, below } = await paintedShares(forecast.chart, shown as DeviceForecast);
    expect(height, 'a visible band').toBeGreaterThan(8);
    expect(inside).toBe(1);
    for (const share of [above, below]) expect(share).toBeLessThan(0.2);
    await expectAccessibleInBothSchemes(page, 'forecast as chart');
    await forecast.asTable.click();
    const rows = forecast.table.locator('tbody').getByRole('row');
    await expect(rows.last()).toContainText('0%');
    await expectAccessibleInBothSchemes(page, 'forecast as table');
    const [content, window] = await page.evaluate(() => [
      document.documentElement.scrollWidth,
      document.body.clientWidth,
    ]);
    expect(content).toBeLessThanOrEqual(window ?? 0);
  });
}

/** The text about the effect of changes, once it is there. */
async function effect(page: Page, text: RegExp): Promise<RegExpExecArray> {
  const line = page.getByRole('status', { name: 'Effect on use' });
  await expect(line).toHaveText(text);
  return text.exec((await line.textContent()) ?? '') as RegExpExecArray;
}

const INSTEAD = /^Runs dry on (.+) instead of (.+); ([\d.]+) instead of ([\d.]+) mL a week\.$/;
const NO_EFFECT = /^No effect on when it runs dry/;

test('the settings dialog shows when the device will run dry, as it does after saving', async ({
  open,
  people,
  fleet,
}) => {
  const api = await people.api('admin');
  const dsn = await claimPredictable(api, fleet);
  const page = await open('admin', DESK);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const dialog = await screen.edit();
  await dialog.choose('Fan Speed', (await dialog.choice('Fan Speed', '5').isChecked()) ? '4' : '5');
  await effect(page, NO_EFFECT);
  await dialog.choose('Mode', '24/7');
  const [, later, before] = await effect(page, INSTEAD);
  await expectAccessible(page, 'settings with their effect');
  expect(later).not.toBe(before);
  await dialog.save.click();
  await expect(page.getByText(`runs dry ${later}`, { exact: true })).toBeVisible();
  await screen.forecast.lookAt();
  await expect(screen.forecast.fact('Runs dry')).toContainText(`${later} (`);

  const off = await screen.edit();
  await off.choose('Mode', 'Off');
  await effect(page, /^No date when it runs dry, because the device is off, instead of /);
  await off.save.click();
  await screen.forecast.lookAt();
  await expect(screen.forecast.root).toContainText('There is no forecast because the device is off.');
});

test('the schedule page shows when the device will run dry, as it does after saving', async ({
  open,
  people,
  fleet,
}) => {
  const api = await people.api('admin');
  const dsn = await claimPredictable(api, fleet);
  const page = await open('admin', PHONE);
  const screen = await openSchedule(page, dsn);
  const preview = page.waitForResponse((answer) => answer.url().endsWith('/forecast') && answer.ok());
  const { schedule } = await readDevice(api, dsn);
  const used = schedule.find(({ active }) => active);
  const dialog = await screen.edit(used?.number ?? 1);
  await dialog.enable(false);
  await dialog.done.click();
  const { before, after, hasEffect }: WhatIf = await (await preview).json();
  expect(hasEffect).toBe(true);
  expect(after.mlPerWeek ?? 0).toBeLessThan(before.mlPerWeek ?? 0);
  await effect(
    page,
    /^(Runs dry on .+ instead of .+; [\d.]+ instead of [\d.]+ mL a week|No date when it runs dry).*\.$/,
  );
  await expectAccessible(page, 'schedule with its effect');
  await screen.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  const { runsDryAt } = await readDevice(api, dsn);
  const [expected, found] = [after.empty?.median, runsDryAt].map((at) => (at ? Date.parse(at) : 0));
  expect(Math.abs((expected ?? 0) - (found ?? 0))).toBeLessThan(DAY_MS / 24);
});
