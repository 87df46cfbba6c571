import type { AuditPage, DeviceDetail } from '../../web/src/api/schema.gen';
import { expectAccessibleInBothSchemes } from '../harness/axe';
import { EVENTS } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import { readDevice, readNotifications } from '../harness/fleet';
import { DEVICES } from '../harness/guard';
import { claim, openSchedule, SUNDAY, schedule, setSchedule, stored, WEEK } from '../harness/schedules';
import { AccountScreen } from '../screens/account';
import { changesBlock } from '../screens/audit';
import { DeviceFormScreen } from '../screens/device-form';
import { DeviceScreen } from '../screens/device-page';
import { NotificationsBlock } from '../screens/notifications';
import { alert } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';
import { UserFormScreen } from '../screens/user-form';

// Changes people and devices that other tests read.
test.use({ world: 'two people' });

const ofMeridian = ({ csp }: { csp: string | null }) => csp === 'Meridian Air';

test('two people who edit one device keep the changes of each other, and the audit names both', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = fleet.claim(ofMeridian);
  const api = await people.api('admin');
  const before = await readDevice(api, dsn);
  const [a, b] = [await open('admin', DESK), await open('cspAdmin', DESK)];
  const [formOfA, formOfB] = [new DeviceFormScreen(a), new DeviceFormScreen(b)];
  await a.goto(`/devices/${dsn}/edit`);
  await expect(formOfA.text('Customer')).toHaveValue(before.customer ?? '');

  await b.goto(`/devices/${dsn}/edit`);
  await formOfB.text('Customer').fill('Harbor Inns');
  await formOfB.text('City').fill('Peoria');
  await formOfB.text('Store Number').fill('B-1');
  await formOfB.save.click();
  await expect(alert(b, 'Successfully updated device')).toBeVisible();

  await formOfA.text('Service Area').fill('Spa');
  const sent = a.waitForRequest((request) => request.method() === 'PUT');
  await formOfA.save.click();
  expect((await sent).postDataJSON()).toEqual({
    serviceArea: 'Spa',
    seen: { serviceArea: before.serviceArea },
  });
  await expect(alert(a, 'Successfully updated device')).toBeVisible();
  await expect(a).toHaveURL(`/devices/${dsn}`);
  const changes = { customer: 'Harbor Inns', city: 'Peoria', serviceArea: 'Spa', storeNumber: 'B-1' };
  const after = await readDevice(api, dsn);
  for (const name of FIELDS) expect(after[name], name).toEqual({ ...before, ...changes }[name]);
  await expect(a.getByText('Harbor Inns').first()).toBeVisible();
  await expect(changesBlock(a)).toContainText(people.account('cspAdmin').email);

  const audit: AuditPage = await (await api.get(`/api/audit?target=${dsn}&operation=update_device`)).json();
  const recorded = audit.entries.map(({ actor, changes }) => [actor?.email, changes.map(({ field }) => field).sort()]);
  expect(recorded).toEqual([
    [people.account('admin').email, ['serviceArea']],
    [people.account('cspAdmin').email, ['city', 'customer', 'storeNumber']],
  ]);
});

const FIELDS = [
  ...(['customer', 'csp', 'serviceArea', 'customerId', 'storeNumber', 'serialNumber', 'systemConfiguration'] as const),
  ...(['fragrance', 'lat', 'lng', 'timeZone', 'country', 'state', 'city', 'street', 'zip'] as const),
] satisfies (keyof DeviceDetail)[];

test('a form opens with the stored values, and saving a draft keeps the changes of others', async ({
  open,
  people,
  fleet,
  frontProxy,
}) => {
  const { dsn } = fleet.claim(ofMeridian);
  const api = await people.api('cspAdmin');
  const change = async (data: object) =>
    expect((await api.put(`/api/devices/dsns/${dsn}`, { data })).status()).toBe(200);
  // Without a stream, the page does not show changes of others.
  frontProxy.hold(EVENTS);
  const page = await open('admin', { ...DESK, through: frontProxy });
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  await expect(screen.heading).toBeVisible();
  await change({ customer: 'Harbor Inns' });
  await screen.editDevice.click();
  const form = new DeviceFormScreen(page);
  await expect(form.text('Customer')).toHaveValue('Harbor Inns');

  await form.text('Service Area').fill('Spa');
  await change({ city: 'Peoria' });
  page.on('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await expect(form.restored).toBeVisible();
  await expect(form.text('Service Area')).toHaveValue('Spa');
  await expect(form.text('City')).toHaveValue('Peoria');
  await change({ customer: 'Harbor Hotels' });
  await form.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(await readDevice(api, dsn)).toMatchObject({ customer: 'Harbor Hotels', city: 'Peoria', serviceArea: 'Spa' });
});

test('two people who edit one person keep the changes of each other', async ({ open, people, guests }) => {
  const { id } = await guests.invite('two-people@example.com', { phone: '1', company: 'Aurora' });
  const [a, b] = [await open('admin', DESK), await open('cspAdmin', DESK)];
  const [formOfA, formOfB] = [new UserFormScreen(a), new UserFormScreen(b)];
  await a.goto(`/users/${id}`);
  await expect(formOfA.text('Phone')).toHaveValue('1');

  await b.goto(`/users/${id}`);
  await formOfB.text('Phone').fill('2');
  await formOfB.text('Business Role').fill('Owner');
  await formOfB.choose('Role', 'CSP Observer');
  await formOfB.save.click();
  await expect(alert(b, 'Successfully updated user')).toBeVisible();

  await formOfA.text('Last Name').fill('Miller');
  await formOfA.save.click();
  await expect(alert(a, 'Successfully updated user')).toBeVisible();
  const api = await people.api('admin');
  expect(await (await api.get(`/api/users/${id}`)).json()).toMatchObject({
    lastname: 'Miller',
    phone: '2',
    company: 'Aurora',
    businessRole: 'Owner',
    role: 'OEM::ProlitecCommercial::CspObserver',
    csp: 'Meridian Air',
  });
  const audit: AuditPage = await (await api.get(`/api/audit?target=${id}&operation=update_user`)).json();
  const recorded = audit.entries.map(({ actor, changes }) => [actor?.email, changes.map(({ field }) => field).sort()]);
  expect(recorded).toEqual([
    [people.account('admin').email, ['lastname']],
    [people.account('cspAdmin').email, ['businessRole', 'phone', 'role']],
  ]);
});

test('a field that two people changed shows both values, and the second person chooses', async ({
  open,
  people,
  fleet,
  guard,
}) => {
  guard.expect(409, /^\/api\/devices\/dsns\//);
  const { dsn } = fleet.claim(ofMeridian);
  const api = await people.api('admin');
  const other = await people.api('cspAdmin');
  const start = { customer: 'Aurora', serviceArea: 'Lobby', storeNumber: '1' };
  expect((await api.put(`/api/devices/dsns/${dsn}`, { data: start })).status()).toBe(200);
  const page = await open('admin', PHONE);
  const form = new DeviceFormScreen(page);
  await page.goto(`/devices/${dsn}/edit`);
  await expect(form.text('Customer')).toHaveValue('Aurora');

  const data = { customer: 'Harbor Inns', storeNumber: 'B-1' };
  expect((await other.put(`/api/devices/dsns/${dsn}`, { data })).status()).toBe(200);
  await form.text('Customer').fill('Grand Hotel');
  await form.text('Store Number').fill('A-1');
  await form.text('Service Area').fill('Spa');
  await form.save.click();
  const { changed } = form;
  await expect(changed).toBeFocused();
  await expect(changed.getByRole('definition')).toHaveText([
    /^Harbor Inns/,
    'Grand Hotel',
    new RegExp(`^B-1${people.account('cspAdmin').email}, `),
    'A-1',
  ]);
  expect(await readDevice(api, dsn)).toMatchObject({ ...data, serviceArea: 'Lobby' });
  await expectAccessibleInBothSchemes(page, 'values that somebody else changed');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport.width);

  await changed.getByRole('button', { name: 'Use theirs: Customer' }).click();
  await expect(form.text('Customer')).toHaveValue('Harbor Inns');
  await changed.getByRole('button', { name: 'Keep mine: Store Number' }).click();
  await expect(changed).toBeHidden();
  await form.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(await readDevice(api, dsn)).toMatchObject({ customer: 'Harbor Inns', storeNumber: 'A-1', serviceArea: 'Spa' });
});

test('a role that another person changed meanwhile is not changed back', async ({ open, people, guests, guard }) => {
  guard.expect(409, /^\/api\/users\//);
  const { id } = await guests.invite('demoted@example.com', { phone: '1' });
  const page = await open('admin', DESK);
  const form = new UserFormScreen(page);
  await page.goto(`/users/${id}`);
  await expect(form.text('Phone')).toHaveValue('1');
  const demotion = { data: { role: 'OEM::ProlitecCommercial::CspObserver' } };
  expect((await (await people.api('cspAdmin')).put(`/api/users/${id}`, demotion)).status()).toBe(200);

  await form.choose('Role', 'CSP Admin');
  await form.text('Phone').fill('3');
  await form.save.click();
  await expect(form.changed.getByRole('definition')).toHaveText([/^CSP Observer/, 'CSP Admin']);
  await form.changed.getByRole('button', { name: 'Use theirs: Role' }).click();
  await form.save.click();
  await expect(alert(page, 'Successfully updated user')).toBeVisible();
  const stored = await (await (await people.api('admin')).get(`/api/users/${id}`)).json();
  expect(stored).toMatchObject({ phone: '3', roleName: 'CSP Observer' });
});

test('a profile that is open in two browsers keeps the changes of both', async ({ open, people }) => {
  const [a, b] = [await open('noRole', DESK), await open('noRole', DESK)];
  for (const page of [a, b]) await page.goto('/account');
  const [accountOfA, accountOfB] = [new AccountScreen(a), new AccountScreen(b)];
  await expect(accountOfA.field('City')).toBeVisible();
  await accountOfB.field('First Name').fill('Nora');
  await accountOfB.field('Last Name').fill('Nowhere');
  await accountOfB.field('City').fill('Chicago');
  await accountOfB.choose('Country', 'United States');
  await accountOfB.save.click();
  await expect(b.getByText('Successfully updated account')).toBeVisible();

  await a.reload();
  await accountOfB.field('City').fill('Peoria');
  await accountOfB.save.click();
  const api = await people.api('noRole');
  await expect.poll(async () => (await (await api.get('/api/account')).json()).city).toBe('Peoria');
  await accountOfA.field('Last Name').fill('Nobody');
  await accountOfA.save.click();
  await expect(a.getByText('Successfully updated account')).toBeVisible();
  await expect(accountOfA.field('City')).toHaveValue('Peoria');
  expect(await (await api.get('/api/account')).json()).toMatchObject({
    firstname: 'Nora',
    lastname: 'Nobody',
    city: 'Peoria',
  });
});

test('saving an unchanged form does not revert a concurrent rename of a CSP', async ({ open, people }) => {
  const api = await people.api('admin');
  const { id } = await (await api.post('/api/csps', { data: { name: 'Two People' } })).json();
  const page = await open('admin', DESK);
  await page.goto(`/csps/${id}`);
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue('Two People');
  expect((await api.put(`/api/csps/${id}`, { data: { name: 'Two Persons' } })).status()).toBe(200);
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL('/csps');
  expect(await (await api.get(`/api/csps/${id}`)).json()).toMatchObject({ name: 'Two Persons' });
});

test('two people who change one notification keep the changes of each other', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(ofMeridian);
  const api = await people.api('cspAdmin');
  const path = `/api/devices/dsns/${dsn}/notifications`;
  const email = { method: 'email', recipient: 'jo@example.com', events: { connected: true } };
  expect((await api.post(path, { data: email })).status()).toBe(200);
  const [notification] = await readNotifications(api, dsn);
  const page = await open('admin', DESK);
  await page.goto(`/devices/${dsn}`);
  const block = new NotificationsBlock(page);
  await block.edit('jo@example.com').click();
  await block.dialog.event('Low Product Level').check();
  const answer = await api.put(`${path}/${notification?.id}`, { data: { events: { disconnected: true } } });
  expect(answer.status()).toBe(200);
  await block.dialog.save.click();
  await expect(block.dialog.root).toBeHidden();
  await expect.poll(() => block.rows()).toEqual([['Email', 'jo@example.com', 'Yes', 'Yes', 'Yes']]);
});

test('settings that two people changed show both values, and nothing typed is lost', async ({
  open,
  people,
  fleet,
  guard,
}) => {
  guard.expect(409, DEVICES);
  const { dsn } = fleet.claim(({ csp, mode }) => csp === 'Meridian Air' && mode === 3);
  const [api, other] = [await people.api('admin'), await people.api('cspAdmin')];
  const change = async (data: object) =>
    expect((await other.put(`/api/devices/dsns/${dsn}/settings`, { data })).status()).toBe(200);
  await change({ intensity: 9, fan: 1 });
  const page = await open('admin', DESK);
  await page.goto(`/devices/${dsn}`);
  const screen = new DeviceScreen(page);
  const dialog = await screen.edit();
  await expect(dialog.intensity).toHaveValue('9');
  await change({ intensity: 7, fan: 2 });

  await dialog.intensity.fill('5');
  await dialog.save.click();
  const changed = dialog.root.getByRole('region', { name: 'Changed by somebody else in the meantime' });
  await expect(changed).toBeFocused();
  await expect(changed.getByRole('definition')).toHaveText([
    new RegExp(`^7${people.account('cspAdmin').email}, `),
    '5',
  ]);
  expect(await readDevice(api, dsn)).toMatchObject({ intensity: 7, fan: 2 });
  await expectAccessibleInBothSchemes(page, 'settings that somebody else changed');
  await changed.getByRole('button', { name: 'Keep mine: Intensity' }).click();

  // What is chosen while the save is under way stays, and is not lost without a question.
  let release = () => {};
  const until = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/settings', async (route) => {
    await until;
    await route.continue();
  });
  await dialog.save.click();
  await dialog.choose('Fan Speed', '4');
  release();
  await expect(alert(page, 'Successfully updated')).toBeVisible();
  await expect(dialog.choice('Fan Speed', '4')).toBeChecked();
  expect(await readDevice(api, dsn)).toMatchObject({ intensity: 5, fan: 2 });
  await page.keyboard.press('Escape');
  const question = page.getByRole('dialog', { name: 'Leave without saving?' });
  await question.getByRole('button', { name: 'Stay' }).click();
  await dialog.save.click();
  await expect(changed.getByRole('definition')).toHaveText([/^2/, '4']);
  await changed.getByRole('button', { name: 'Keep mine: Fan Speed' }).click();
  await dialog.save.click();
  await expect(dialog.root).toBeHidden();
  expect(await readDevice(api, dsn)).toMatchObject({ intensity: 5, fan: 4 });
});

test('two people who edit one schedule keep the frames of each other', async ({ open, people, fleet }) => {
  const { dsn } = claim(fleet);
  const api = await people.api('cspAdmin');
  await setSchedule(api, dsn, WEEK);
  const page = await open('admin', DESK);
  const screen = await openSchedule(page, dsn);
  const dialog = await screen.edit(1);
  await dialog.intensity.fill('21');
  await dialog.done.click();
  await expect(dialog.root).toBeHidden();

  const [, , sunday] = schedule({ ...WEEK, 3: { ...SUNDAY, intensity: 13 } });
  const answer = await api.put(`/api/devices/dsns/${dsn}/schedule`, { data: { frames: [sunday] } });
  expect(answer.status()).toBe(200);
  await expect.poll(async () => (await screen.row(3))[5]).toBe('13');
  expect((await screen.row(1))[5]).toBe('21');
  await screen.save.click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
  expect(await stored(api, dsn, 1)).toMatchObject({ intensity: 21 });
  expect(await stored(api, dsn, 3)).toMatchObject({ intensity: 13 });
});

test('a schedule that two people changed shows both values, and the second person chooses', async ({
  open,
  people,
  fleet,
  guard,
}) => {
  guard.expect(409, DEVICES);
  const { dsn } = claim(fleet);
  const api = await people.api('admin');
  await setSchedule(api, dsn, WEEK);
  const [pageOfA, pageOfB] = [await open('admin', DESK), await open('cspAdmin', PHONE)];
  const [a, b] = [await openSchedule(pageOfA, dsn), await openSchedule(pageOfB, dsn)];
  for (const [screen, intensities] of [
    [a, { 1: '21', 3: '11' }],
    [b, { 1: '22', 2: '32', 3: '12' }],
  ] as const) {
    for (const [number, intensity] of Object.entries(intensities)) {
      const dialog = await screen.edit(Number(number));
      await dialog.intensity.fill(intensity);
      await dialog.done.click();
      await expect(dialog.root).toBeHidden();
    }
  }
  await a.save.click();
  await expect(pageOfA).toHaveURL(`/devices/${dsn}`);

  await b.save.click();
  await expect(b.changed).toBeFocused();
  const text = (intensity: number) => new RegExp(`, intensity ${intensity}(?![0-9])`);
  await expect(b.changed.getByRole('definition')).toHaveText([text(21), text(22), text(11), text(12)]);
  expect(await stored(api, dsn, 2)).toMatchObject({ intensity: 30 });
  await expectAccessibleInBothSchemes(pageOfB, 'schedules that somebody else changed');
  expect(await pageOfB.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport.width);

  await b.changed.getByRole('button', { name: 'Use theirs: Schedule 1' }).click();
  await b.changed.getByRole('button', { name: 'Keep mine: Schedule 3' }).click();
  await expect(b.changed).toBeHidden();
  await b.save.click();
  await expect(pageOfB).toHaveURL(`/devices/${dsn}`);
  expect(await stored(api, dsn, 1)).toMatchObject({ intensity: 21 });
  expect(await stored(api, dsn, 2)).toMatchObject({ intensity: 32 });
  expect(await stored(api, dsn, 3)).toMatchObject({ intensity: 12 });
});
