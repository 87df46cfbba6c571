import type { APIRequestContext, Page } from '@playwright/test';
import type { DeviceDetail } from '../../web/src/api/schema.gen';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { type Fleet, isOnline, readDevice, readDevices } from '../harness/fleet';
import { tabTo } from '../harness/keyboard';
import { setSchedule, WEEK } from '../harness/schedules';
import { COPY_OPTIONS, CopyScreen } from '../screens/copy-page';
import { DeviceScreen } from '../screens/device-page';
import { alert } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

// Changes all values of devices.
test.use({ world: 'copies' });

const CSP = 'Meridian Air';

/** Claims a device; all have the same system configuration and so the same limits. */
function claim(fleet: Fleet): string {
  return fleet.claim(({ csp, systemConfiguration }) => csp === CSP && systemConfiguration !== 'AQ290').dsn;
}

/** A source that no test changes, and a target of any system configuration. */
function pair(fleet: Fleet): [string, string] {
  const isOurs = ({ csp }: { csp: string | null }) => csp === CSP;
  return [fleet.find(isOurs).dsn, fleet.claim(isOurs).dsn];
}

/** The values of a device that a copy can change. */
function copied({ serviceArea, customer, customerId, storeNumber, fragrance, ...device }: DeviceDetail) {
  const { scheduleBlob, mode, cycle, intensity, fan, lat, lng, timeZone, city, state, country } = device;
  return {
    ...{ serviceArea, customer, customerId, storeNumber, fragrance },
    ...{ scheduleBlob, mode, cycle, intensity, fan, lat, lng, timeZone, city, state, country },
  };
}

/** The values of a device that a copy never changes. */
function own({ dsn, serialNumber, systemConfiguration, csp, street, zip, roleLabels }: DeviceDetail) {
  return { dsn, serialNumber, systemConfiguration, csp, street, zip, roleLabels };
}

async function openCopy(page: Page, dsn: string): Promise<CopyScreen> {
  await page.goto(`/devices/${dsn}/copy`);
  const screen = new CopyScreen(page);
  await expect(screen.option('Name')).toBeVisible();
  return screen;
}

/** Searches for this device and chooses it. */
async function choose(screen: CopyScreen, dsn: string): Promise<void> {
  await screen.targets.search.fill(dsn);
  await expect(screen.targets.rows).toHaveCount(1);
  await screen.target(dsn).check();
}

async function prepare(api: APIRequestContext, dsn: string): Promise<DeviceDetail> {
  await setSchedule(api, dsn, WEEK);
  return readDevice(api, dsn);
}

test('all options are copied to two devices, which keep their identity', async ({ open, people, fleet }) => {
  const [source, one, two] = [claim(fleet), claim(fleet), claim(fleet)];
  const api = await people.api('cspTech');
  const wanted = copied(await prepare(api, source));
  const before = await Promise.all([one, two].map((dsn) => readDevice(api, dsn)));
  const bystander = copied(await readDevice(api, fleet.find(({ csp }) => csp === CSP).dsn));

  const page = await open('cspTech', DESK);
  await page.goto(`/devices/${source}`);
  await new DeviceScreen(page).copy.click();
  await expect(page).toHaveURL(`/devices/${source}/copy`);
  const screen = new CopyScreen(page);
  await expect(screen.options).toHaveCount(6);
  for (const name of COPY_OPTIONS) await screen.option(name).check();
  for (const dsn of [one, two]) await choose(screen, dsn);
  await screen.applyUnseen();
  await expect(alert(page, 'Successfully copied device')).toBeVisible();
  await expect(page).toHaveURL(`/devices/${source}`);

  const after = await Promise.all([one, two].map((dsn) => readDevice(api, dsn)));
  for (const [place, device] of after.entries()) {
    expect(copied(device)).toEqual(wanted);
    expect(own(device)).toEqual(own(before[place] as DeviceDetail));
  }
  expect(copied(await readDevice(api, fleet.find(({ csp }) => csp === CSP).dsn))).toEqual(bystander);
});

test('a copy requires an option and a device, and the source is not offered', async ({ open, fleet }) => {
  const source = fleet.find(({ csp }) => csp === CSP);
  const page = await open('cspTech', DESK);
  const screen = await openCopy(page, source.dsn);
  const total = fleet.of(CSP).length - 1;
  await expect(screen.targets.footer(`Devices 1 - ${Math.min(total, 25)} of ${total}`)).toBeVisible();
  await expect(screen.targets.row(source.dsn)).toHaveCount(0);
  const first = screen.targets.rows.first().getByRole('checkbox');
  await expect(screen.apply).toBeDisabled();
  await first.check();
  await expect(screen.apply).toBeDisabled();
  await screen.option('Identification').check();
  await expect(screen.apply).toBeEnabled();
  await first.uncheck();
  await expect(screen.apply).toBeDisabled();

  // Devices of another CSP are not offered.
  const foreign = fleet.find(({ csp }) => csp === 'Quayside Services');
  await screen.targets.search.fill(foreign.dsn);
  await expect(screen.targets.footer('Devices 0 - 0 of 0')).toBeVisible();
});

test('every filter works, and the device list does not remember it', async ({ open, people, fleet }) => {
  const source = fleet.find(({ csp }) => csp === CSP);
  const page = await open('admin', DESK);
  const screen = await openCopy(page, source.dsn);
  let dialog = await screen.targets.openFilter();
  for (const name of [
    'CSP',
    'DSN',
    'Network',
    'Service Area',
    'System Configuration',
    'Fragrance',
    'Serial Number',
    'Status',
    'Customer',
    'City',
    'Country',
    'State/Province',
  ]) {
    await expect(dialog.field(name), name).toBeVisible();
  }
  await dialog.field('Status').click();
  await expect(page.getByRole('option')).toHaveCount(3);
  for (const name of ['Online', 'Never connected']) await expect(page.getByRole('option', { name })).toBeVisible();
  await page.getByRole('option', { name: 'Offline' }).click();
  await expect(dialog.field('Status')).toHaveValue(/^Offline/);
  await dialog.choose('CSP', CSP);
  await expect(dialog.field('Status')).toHaveValue(/^Offline/);
  await dialog.apply.click();
  await expect(screen.targets.chip('Status')).toBeVisible();
  const api = await people.api('admin');
  // Devices that are still connecting drop out of the list when they come online.
  await expect(async () => {
    const others = (await readDevices(api)).filter(({ csp, dsn }) => csp === CSP && dsn !== source.dsn);
    const offline = others.filter((device) => !isOnline(device) && !device.neverConnected).map(({ dsn }) => dsn);
    expect((await screen.targets.dsns()).sort()).toEqual(offline.sort());
  }).toPass();
  await screen.targets.clearFilters.click();

  const others = (await readDevices(api)).filter(({ dsn }) => dsn !== source.dsn);
  const target = others.find(({ csp, state }) => csp === CSP && state !== null);
  for (const [name, field] of [
    ['CSP', 'csp'],
    ['DSN', 'dsn'],
    ['Network', 'network'],
    ['Service Area', 'serviceArea'],
    ['System Configuration', 'systemConfigurationLabel'],
    ['Serial Number', 'serialNumber'],
    ['Customer', 'customer'],
    ['City', 'city'],
    ['Country', 'country'],
    ['State/Province', 'state'],
  ] as const) {
    const value = target?.[field] ?? '';
    const isChoice = name === 'CSP' || name === 'System Configuration';
    const found = others.filter((device) => (isChoice ? device[field] === value : device[field]?.includes(value)));
    expect(found.length, `${name}: the filter would match every device`).toBeLessThan(others.length);
    dialog = await screen.targets.openFilter();
    if (isChoice) await dialog.choose(name, value);
    else await dialog.field(name).fill(value);
    await dialog.field(name).press('Enter');
    await expect(screen.targets.chip(name)).toBeVisible();
    const shown = `Devices 1 - ${Math.min(found.length, 25)} of ${found.length}`;
    await expect(screen.targets.footer(shown), name).toBeVisible();
    await screen.targets.clearFilters.click();
    await expect(screen.targets.chip()).toHaveCount(0);
  }
  await page.goto('/devices');
  await expect(screen.targets.footer('Devices 1 - 5 of 60')).toBeVisible();
});

test('on a desktop every column is visible, including CSP', async ({ open, fleet }) => {
  const page = await open('admin', DESK);
  const { targets } = await openCopy(page, fleet.find(({ csp }) => csp === CSP).dsn);
  await expect(targets.sortBy('CSP')).toBeVisible();
  await expect(targets.rows).toHaveCount(25);
  expect(await targets.hiddenWidth()).toBe(0);
});

for (const person of ['observer', 'cspObserver'] as const) {
  test(`${person} looks at everything and can choose nothing`, async ({ open, fleet }) => {
    const { dsn } = fleet.find(({ csp }) => csp === CSP);
    const page = await open(person, DESK);
    await page.goto(`/devices/${dsn}`);
    const device = new DeviceScreen(page);
    await expect(device.heading).toBeVisible();
    await expect(device.copy).toHaveCount(0);
    const screen = await openCopy(page, dsn);
    for (const name of COPY_OPTIONS) await expect(screen.option(name)).toBeDisabled();
    await expect(screen.targets.rows.first().getByRole('checkbox')).toBeDisabled();
    await expect(screen.apply).toBeDisabled();
    await expectAccessible(page, `copy page of ${person}`);
  });
}

test('a copy asks once with the figures of its preview, which adds no empty page', async ({ open, fleet }) => {
  const [source, target] = pair(fleet);
  const page = await open('cspTech', DESK);
  const screen = await openCopy(page, source);
  await screen.option('Name').check();
  await choose(screen, target);
  await screen.apply.click();
  await expect(screen.question.getByRole('status')).toContainText('would change');
  await expectAccessible(page, 'question before a copy');
  await screen.question.getByRole('button', { name: 'Cancel' }).click();
  await expect(screen.question).toBeHidden();

  await screen.showPreview.click();
  await expect(screen.preview.getByRole('status')).toContainText('would change');
  // Both buttons stand in one row, and the page ends with its content.
  const [apply, show] = [await screen.apply.boundingBox(), await screen.showPreview.boundingBox()];
  expect(show?.y).toBe(apply?.y);
  const [height, content] = await page.evaluate(() => [
    document.documentElement.scrollHeight,
    document.body.getBoundingClientRect().height,
  ]);
  expect(height).toBeLessThanOrEqual(Math.ceil(content ?? 0) + 1);
  await screen.apply.click();
  await expect(alert(page, 'Successfully copied device')).toBeVisible();
});

test('a failed device is named, stays selected and can be retried', async ({ open, people, fleet, system }) => {
  const [source, good, bad] = [claim(fleet), claim(fleet), claim(fleet)];
  const page = await open('cspTech', DESK);
  const screen = await openCopy(page, source);
  await screen.option('Name').check();
  for (const dsn of [good, bad]) await choose(screen, dsn);
  // A server error would pause the job instead.
  const heal = system.cloudProxy.fail({ match: new RegExp(`^GET .*dsns/${bad}`), status: 404 });
  await screen.applyUnseen();
  await expect(alert(page, `Failed to update device. Not copied to ${bad}.`)).toBeVisible();
  await expect(page).toHaveURL(new RegExp(`/devices/${source}/copy`));
  await expect(screen.target(bad)).toBeChecked();
  await expectAccessible(page, 'copy page with a failure');
  heal();
  await screen.applyUnseen();
  await expect(alert(page, 'Successfully copied device')).toBeVisible();
  const api = await people.api('cspTech');
  const [from, to] = await Promise.all([source, bad].map((dsn) => readDevice(api, dsn)));
  expect(to?.customer).toBe(from?.customer);
});

test('a copy can be made by keyboard alone', async ({ open, people, fleet }) => {
  const [source, target] = pair(fleet);
  const page = await open('cspTech', DESK);
  const screen = await openCopy(page, source);
  await screen.targets.search.fill(target);
  await expect(screen.targets.rows).toHaveCount(1);
  await tabTo(page, screen.target(target));
  await page.keyboard.press('Space');
  await tabTo(page, screen.option('Identification'));
  await page.keyboard.press('Space');
  await expectAccessible(page, 'copy page');
  await tabTo(page, screen.apply);
  await page.keyboard.press('Enter');
  await tabTo(page, screen.confirm);
  await page.keyboard.press('Enter');
  await expect(alert(page, 'Successfully copied device')).toBeVisible();
  const api = await people.api('cspTech');
  expect((await readDevice(api, target)).fragrance).toBe((await readDevice(api, source)).fragrance);
});

test('a copy can be made on a phone', async ({ open, people, fleet }) => {
  const [source, target] = pair(fleet);
  const page = await open('cspTech', PHONE);
  const screen = await openCopy(page, source);
  await screen.option('Location Information').tap();
  await screen.targets.search.fill(target);
  await expect(screen.cards).toHaveCount(1);
  await screen.cards.first().tap();
  await expect(screen.cards.first().getByRole('checkbox')).toBeChecked();
  await expectAccessible(page, 'copy page on a phone');
  await screen.apply.tap();
  await screen.confirm.tap();
  await expect(alert(page, 'Successfully copied device')).toBeVisible();
  const api = await people.api('cspTech');
  const [from, to] = await Promise.all([source, target].map((dsn) => readDevice(api, dsn)));
  expect([to?.city, to?.timeZone, to?.lat]).toEqual([from?.city, from?.timeZone, from?.lat]);
});
