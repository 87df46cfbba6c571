import type { APIRequestContext, Page } from '@playwright/test';
import { expectAccessible, expectAccessibleInBothSchemes } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { tabTo } from '../harness/keyboard';
import { loseAnswer, reload } from '../harness/lost-answer';
import { CspFormScreen, CspListScreen } from '../screens/csps';
import { DeviceListScreen } from '../screens/device-list';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

// Adds CSPs and assigns devices to them.
test.use({ world: 'csps' });

/** A CSP of the demo that has devices and users. */
const USED = 'Meridian Air';

async function add(api: APIRequestContext, name: string): Promise<string> {
  const answer = await api.post('/api/csps', { data: { name } });
  expect(answer.status()).toBe(201);
  return (await answer.json()).id;
}

/** Assigns a device to this CSP through the API, unnoticed by the open page. */
async function assignDevice(api: APIRequestContext, dsn: string, csp: string): Promise<void> {
  const path = `/api/devices/dsns/${dsn}`;
  const { lat, lng, ...device } = await (await api.get(path)).json();
  const answer = await api.put(path, { data: { ...device, latitude: lat, longitude: lng, csp } });
  expect(answer.status(), await answer.text()).toBe(200);
}

async function openList(page: Page): Promise<CspListScreen> {
  await page.goto('/csps');
  const list = new CspListScreen(page);
  await expect(list.table).toHaveAttribute('aria-busy', 'false');
  return list;
}

test('the list has names, two counts and an edit button for unused CSPs', async ({ open, people }) => {
  await add(await people.api('admin'), 'Free one');
  const page = await open('admin', DESK);
  const list = await openList(page);
  await expect(list.headers).toHaveText(['Name', 'Devices', 'Users', 'Edit']);
  await expect(list.add).toBeVisible();
  await expect(list.edit('Free one')).toBeVisible();
  await expect(list.row('Free one').getByRole('cell')).toHaveText(['Free one', '0', '0', 'Edit']);
  await expect(list.row(USED)).toBeVisible();
  await expect(list.edit(USED)).toHaveCount(0);
  await expect(list.row(USED)).toContainText(/In use by \d+ devices and \d+ users?/);
  await expectAccessible(page, 'list of CSPs');
});

test('a CSP whose answer was lost is added once, and another name is a new submission', async ({ open, guard }) => {
  guard.expect('broken', /^\/api\/csps$/);
  const page = await open('admin', DESK);
  await page.goto('/csps/add');
  const form = new CspFormScreen(page);
  await form.name.fill('Lost one');
  const keys = await loseAnswer(page, '**/api/csps');
  await form.save.click();
  await expect(page.getByRole('alert').filter({ hasText: /^Failed to create CSP/ })).toBeVisible();

  await reload(page);
  await expect(form.name).toHaveValue('Lost one');
  await form.save.click();
  await expect(page).toHaveURL('/csps');
  const list = new CspListScreen(page);
  await expect(list.row('Lost one')).toHaveCount(1);
  await page.goto('/csps/add');
  await form.name.fill('Lost two');
  await form.save.click();
  await expect(page).toHaveURL('/csps');
  const [first, again, other] = keys;
  expect(again).toBe(first);
  expect(other).not.toBe(first);
});

test('counts link to their devices and users, also for a name with a space and &', async ({ open, people, fleet }) => {
  const api = await people.api('admin');
  const name = 'Smith & Sons 50%';
  await add(api, name);
  const { dsn } = fleet.claim(({ csp }) => csp === 'Quayside Services');
  await assignDevice(api, dsn, name);
  const page = await open('admin', DESK);
  const list = await openList(page);
  const query = '?csp=Smith+%26+Sons+50%25';
  await expect(list.devices(name)).toHaveText('1');
  await expect(list.devices(name)).toHaveAttribute('href', `/devices${query}`);
  await expect(list.users(name)).toHaveText('0');
  await expect(list.users(name)).toHaveAttribute('href', `/users${query}`);
  await expect(list.edit(name)).toHaveCount(0);
  await list.devices(name).click();
  await expect(page).toHaveURL(`/devices${query}`);
  const devices = new DeviceListScreen(page);
  await expect(devices.row(dsn)).toBeVisible();
  await expect(devices.footer('Devices 1 - 1 of 1')).toBeVisible();
});

test('the list is filtered, ordered and paged', async ({ open, people }) => {
  const api = await people.api('admin');
  for (const n of [1, 2, 3, 4, 5, 6]) await add(api, `Page ${n}`);
  const page = await open('observer', DESK);
  const list = await openList(page);
  await list.nameFilter.fill('page ');
  await expect(page).toHaveURL('/csps?name=page');
  await expect(list.footer('CSPs 1 - 6 of 6')).toBeVisible();
  await list.choosePageSize('5');
  await expect(list.footer('CSPs 1 - 5 of 6')).toBeVisible();
  await list.pages.getByRole('button', { name: 'Page 2', exact: true }).click();
  await expect(list.footer('CSPs 6 - 6 of 6')).toBeVisible();
  await expect(list.rows).toContainText(['Page 6']);
  await list.headers.getByRole('button', { name: 'Name' }).click();
  await expect(page).toHaveURL(/order=desc/);
  await expect(list.rows.first()).toContainText('Page 6');
  await list.nameFilter.fill('nobody is called so');
  await expect(page.getByText('No results')).toBeVisible();
  await expect(list.footer('CSPs 0 - 0 of 0')).toBeVisible();
});

test('a CSP is added, renamed and removed by keyboard', async ({ open, guard }) => {
  guard.expect(409, /^\/api\/csps$/);
  const page = await open('admin', DESK);
  const list = await openList(page);
  await tabTo(page, list.add);
  await page.keyboard.press('Enter');
  const form = new CspFormScreen(page);
  await expect(form.heading).toHaveText('Add CSP');
  await expect(form.fields).toHaveCount(1);
  await tabTo(page, form.name);
  await page.keyboard.type('   ');
  await page.keyboard.press('Enter');
  await expect(form.name).toHaveAccessibleDescription('Required');
  await expect(form.name).toBeFocused();
  await expectAccessible(page, 'form of a CSP with an error');

  await form.name.fill('MERIDIAN air');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Failed to create CSP')).toBeVisible();
  await expect(form.name).toHaveAccessibleDescription('There is a CSP of this name');

  await form.name.fill('  Harbor  ');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Successfully added CSP')).toBeVisible();
  await expect(page).toHaveURL('/csps');
  await tabTo(page, list.edit('Harbor'));
  await page.keyboard.press('Enter');
  await expect(form.name).toHaveValue('Harbor');
  await expect(form.fields).toHaveCount(1);
  await expectAccessible(page, 'page of a free CSP');

  await form.name.fill('Harbor & Co');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Successfully updated CSP')).toBeVisible();
  await expect(page).toHaveURL('/csps');
  await list.edit('Harbor & Co').click();
  await tabTo(page, form.remove);
  await page.keyboard.press('Enter');
  await expect(form.dialog).toContainText('Remove the CSP Harbor & Co? This action cannot be undone.');
  await expect(form.dialog.getByRole('button', { name: 'Cancel' })).toBeFocused();
  await expectAccessible(page, 'dialog that asks before a CSP is removed');
  await page.keyboard.press('Escape');
  await expect(form.dialog).toHaveCount(0);
  await expect(form.remove).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, form.confirm);
  await page.keyboard.press('Enter');
  await expect(page.getByText('Successfully removed CSP')).toBeVisible();
  await expect(page).toHaveURL('/csps');
  await expect(list.row(USED)).toBeVisible();
  await expect(list.row('Harbor & Co')).toHaveCount(0);
});

test('a CSP in use shows its name and why it cannot be removed', async ({ open, people }) => {
  const api = await people.api('admin');
  const all: { id: string; name: string }[] = await (await api.get('/api/csps/all')).json();
  const page = await open('admin', DESK);
  await page.goto(`/csps/${all.find(({ name }) => name === USED)?.id}`);
  const form = new CspFormScreen(page);
  await expect(form.name).toHaveValue(USED);
  await expect(form.name).toBeDisabled();
  await expect(form.name).toHaveAccessibleDescription(
    /^In use by \d+ devices and \d+ users?\. A CSP can be renamed or removed/,
  );
  await expect(form.save).toBeDisabled();
  await expect(form.remove).toHaveCount(0);
  await expectAccessible(page, 'page of a CSP in use');
});

test('a CSP that came into use meanwhile is not changed', async ({ open, people, fleet, guard }) => {
  guard.expect(409, /^\/api\/csps\//);
  const api = await people.api('admin');
  const id = await add(api, 'Late');
  const page = await open('admin', DESK);
  await page.goto(`/csps/${id}`);
  const form = new CspFormScreen(page);
  await form.remove.click();
  await assignDevice(api, fleet.claim(({ csp }) => csp === 'Quayside Services').dsn, 'Late');
  await form.confirm.click();
  await expect(page.getByText('Failed to remove CSP')).toBeVisible();
  await expect(form.dialog).toContainText('Devices or people belong to this CSP.');

  const early = await add(api, 'Early');
  await page.goto(`/csps/${early}`);
  await form.name.fill('Earlier');
  await assignDevice(api, fleet.claim(({ csp }) => csp === 'Quayside Services').dsn, 'Early');
  await form.save.click();
  await expect(page.getByText('Failed to update CSP')).toBeVisible();
  await expect(form.name).toHaveAccessibleDescription(/Devices or people belong to this CSP/);
});

test('a CSP that does not exist cannot be loaded', async ({ open, guard }) => {
  guard.expect(404, /^\/api\/csps\/nothing$/);
  const page = await open('admin', DESK);
  await page.goto('/csps/nothing');
  await expect(new CspFormScreen(page).failed).toBeVisible();
  await expectAccessible(page, 'page of no CSP');
  await page.getByRole('link', { name: 'Back' }).click();
  await expect(new CspListScreen(page).heading).toBeVisible();
});

test('an observer sees CSPs and cannot change them', async ({ open, people }) => {
  const id = await add(await people.api('admin'), 'Looked at');
  const page = await open('observer', DESK);
  const list = await openList(page);
  await expect(list.headers).toHaveText(['Name', 'Devices', 'Users']);
  await expect(list.row('Looked at')).toBeVisible();
  await expect(list.edit('Looked at')).toHaveCount(0);
  await expect(list.add).toHaveCount(0);
  for (const path of ['/csps/add', `/csps/${id}`]) {
    await page.goto(path);
    await expect(new Shell(page).refused, path).toBeVisible();
  }
});

for (const person of ['cspAdmin', 'cspObserver', 'cspTech', 'noRole', 'endUser'] as const) {
  test(`CSPs are refused to ${person}`, async ({ open, people }) => {
    const id = await add(await people.api('admin'), `Not for ${person}`);
    const page = await open(person, DESK);
    for (const path of ['/csps', '/csps/add', `/csps/${id}`]) {
      await page.goto(path);
      await expect(new Shell(page).refused, path).toBeVisible();
    }
    const api = await people.api(person);
    for (const path of ['/api/csps', `/api/csps/${id}`]) expect((await api.get(path)).status(), path).toBe(403);
  });
}

test('a CSP is added and removed on a phone, light and dark', async ({ open }) => {
  const name = 'Pocket';
  const page = await open('admin', PHONE);
  await page.goto('/csps');
  const list = new CspListScreen(page);
  await expect(list.cards.getByRole('listitem').filter({ hasText: USED })).toContainText(/\d+ devices.*\d+ users/s);
  await expectAccessibleInBothSchemes(page, 'cards of CSPs');
  await list.add.tap();
  const form = new CspFormScreen(page);
  await form.name.fill(name);
  await expectAccessibleInBothSchemes(page, 'form of a new CSP on a phone');
  await form.save.tap();
  await expect(list.cards.getByRole('listitem').filter({ hasText: name })).toContainText('0 devices');
  await list.edit(name).tap();
  // Waits until the alert no longer covers the dialog.
  await expect(page.getByText('Successfully added CSP')).toHaveCount(0);
  await form.remove.tap();
  await expect(form.dialog).toBeVisible();
  await expectAccessibleInBothSchemes(page, 'dialog on a phone');
  await form.confirm.tap();
  await expect(page.getByText('Successfully removed CSP')).toBeVisible();
  await expect(list.cards.getByRole('listitem').filter({ hasText: name })).toHaveCount(0);
});

test('the longest name fits a phone', async ({ open, people }) => {
  const name = 'W'.repeat(255);
  const id = await add(await people.api('admin'), name);
  const page = await open('admin', PHONE);
  const expectRoom = async () =>
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(PHONE.viewport.width);
  await page.goto(`/csps?name=${name.slice(0, 64)}`);
  await expect(new CspListScreen(page).edit(name)).toBeVisible();
  await expectRoom();
  await page.goto(`/csps/${id}`);
  const form = new CspFormScreen(page);
  await expect(form.heading).toHaveText(`Edit ${name}`);
  await expectRoom();
  await form.remove.tap();
  await expect(form.confirm).toBeInViewport();
});
