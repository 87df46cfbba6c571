import type { AuditEntry, DeviceView } from '../../web/src/api/schema.gen';
import { expectAccessibleInBothSchemes } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { type Part, setSchedule, WEEK } from '../harness/schedules';
import { AttentionScreen } from '../screens/attention';
import { AuditScreen } from '../screens/audit';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';
import { UserFormScreen } from '../screens/user-form';

// Changes the schedules of devices that other tests read.
test.use({ world: 'attention' });

const KIND = 'Schedule broken or never runs';
const NEVER: Record<number, Part> = {};

test('an item opens for two people, who share the work on it, and closes when its cause is gone', async ({
  open,
  people,
  fleet,
}) => {
  const isWanted = ({ csp, mode }: DeviceView) => csp === 'Meridian Air' && mode === 4;
  const dsns = [fleet.claim(isWanted).dsn, fleet.claim(isWanted).dsn] as const;
  const [dsn] = dsns;
  const api = await people.api('cspAdmin');
  const [a, b] = [await open('cspTech', PHONE), await open('cspAdmin', DESK)];
  const [phone, desk] = [new AttentionScreen(a), new AttentionScreen(b)];
  await a.goto('/attention');
  // As a link of the daily digest.
  await b.goto('/attention?kind=no_running_time');
  for (const screen of [phone, desk]) await expect(screen.heading).toBeVisible();
  const selectBoth = async (screen: AttentionScreen) => {
    for (const dsn of dsns) await screen.select(KIND, dsn);
  };
  const expectBoth = async (screen: AttentionScreen, text: string) => {
    for (const dsn of dsns) await expect(screen.item(KIND, dsn)).toContainText(text);
  };

  for (const dsn of dsns) await setSchedule(api, dsn, NEVER);
  for (const screen of [phone, desk]) await expectBoth(screen, 'No frame of the schedule is active.');
  await expect(new Shell(b).navigation.getByRole('link', { name: /Attention ?\d+ new items?/ })).toBeVisible();

  await selectBoth(phone);
  await phone.action('Acknowledge').click();
  await expectBoth(desk, 'Acknowledged by');
  await selectBoth(phone);
  await phone.action('Comment').click();
  await phone.dialog('Comments').getByLabel('Comment').fill('I am on my way.');
  await phone.dialog('Comments').getByRole('button', { name: 'Comment' }).click();
  await expectBoth(desk, '1 comment');
  await desk.item(KIND, dsn).getByRole('button', { name: '1 comment' }).click();
  await expect(desk.dialog(KIND)).toContainText('I am on my way.');
  await expectAccessibleInBothSchemes(b, 'comments');
  await b.keyboard.press('Escape');

  await selectBoth(desk);
  await desk.action('Assign').click();
  const assign = desk.dialog('Assign items');
  await assign.getByRole('combobox', { name: 'Person' }).click();
  // The first is "Nobody".
  const option = b.getByRole('option').nth(1);
  const person = await option.textContent();
  await option.click();
  await assign.getByRole('button', { name: 'Assign' }).click();
  await expectBoth(phone, `Assigned to ${person}`);

  await selectBoth(desk);
  await desk.action('Snooze').click();
  await desk.dialog('Snooze items').getByRole('button', { name: 'Snooze', exact: true }).click();
  for (const dsn of dsns) await expect(phone.item(KIND, dsn)).toHaveCount(0);
  await a.goto('/attention?state=snoozed');
  await expectBoth(phone, 'Snoozed until');

  const [technician, administrator] = [people.account('cspTech').email, people.account('cspAdmin').email];
  for (const dsn of dsns) {
    const { entries } = await (await api.get(`/api/audit?target=${dsn}&operation=update_attention`)).json();
    expect(
      entries.map(({ actor, changes }: AuditEntry) => [actor.email, ...changes.map(({ field }) => field)]),
    ).toEqual([
      [administrator, 'no_running_time.snoozedUntil'],
      [administrator, 'no_running_time.assignee'],
      [technician, 'no_running_time.comment'],
      [technician, 'no_running_time.acknowledged'],
    ]);
    await b.goto(`/audit?target=${dsn}&operation=update_attention`);
    await expect(new AuditScreen(b).rows).toHaveCount(entries.length);
  }

  for (const dsn of dsns) await setSchedule(api, dsn, WEEK);
  for (const dsn of dsns) await expect(phone.item(KIND, dsn)).toHaveCount(0);
  await a.goto('/attention?state=closed');
  await expectBoth(phone, 'Closed');
});

test('the page of a device shows its open items, which two people work on there', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(({ csp, mode }: DeviceView) => csp === 'Meridian Air' && mode === 4);
  const api = await people.api('cspAdmin');
  const [phone, desk] = [await open('cspTech', PHONE), await open('cspAdmin', DESK)];
  const [a, b] = [new DeviceScreen(phone), new DeviceScreen(desk)];
  for (const page of [phone, desk]) await page.goto(`/devices/${dsn}`);
  for (const screen of [a, b]) {
    await expect(screen.product('Mode')).toBeVisible();
    await expect(screen.attention.getByText(KIND)).toHaveCount(0);
  }
  await setSchedule(api, dsn, NEVER);
  for (const screen of [a, b]) {
    const item = screen.attention.getByRole('listitem').filter({ hasText: KIND });
    await expect(item).toContainText('No frame of the schedule is active.');
    await expect(item).toContainText('New');
    // Above everything else of the device.
    const [top, product] = [await screen.attention.boundingBox(), await screen.product('Mode').boundingBox()];
    expect(top?.y).toBeLessThan(product?.y ?? 0);
  }
  const item = (screen: DeviceScreen) => screen.attention.getByRole('listitem').filter({ hasText: KIND });
  const act = (screen: DeviceScreen, name: string) => item(screen).getByRole('button', { name, exact: true });

  await act(a, 'Assign to me').click();
  const { firstname, lastname } = (await (await (await people.api('cspTech')).get('/api/session')).json()).user;
  for (const screen of [a, b]) await expect(item(screen)).toContainText(`Assigned to ${firstname} ${lastname}`);
  await act(a, 'Comment').click();
  const dialog = phone.getByRole('dialog', { name: KIND });
  await dialog.getByLabel('Comment').fill('The door code is 4711.');
  await dialog.getByRole('button', { name: 'Comment' }).click();
  for (const screen of [a, b]) await expect(item(screen)).toContainText('The door code is 4711.');
  await act(b, 'Acknowledge').click();
  await expect(item(a)).toContainText('Acknowledged by');
  await act(b, 'Snooze').click();
  await desk.getByRole('dialog', { name: 'Snooze items' }).getByRole('button', { name: 'Snooze', exact: true }).click();
  for (const screen of [a, b]) await expect(item(screen)).toContainText('Snoozed until');
  await act(a, 'Assign').click();
  const assign = phone.getByRole('dialog', { name: 'Assign items' });
  await assign.getByRole('combobox', { name: 'Person' }).click();
  await phone.getByRole('option', { name: 'Nobody' }).click();
  await assign.getByRole('button', { name: 'Assign' }).click();
  for (const screen of [a, b]) await expect(item(screen)).not.toContainText('Assigned to');
  await expectAccessibleInBothSchemes(desk, 'items of a device');

  await setSchedule(api, dsn, WEEK);
  for (const screen of [a, b]) await expect(screen.attention.getByText(KIND)).toHaveCount(0);
});

test('the work of a removed person goes to the chosen successor, or to nobody', async ({
  open,
  people,
  fleet,
  guests,
  mailbox,
}) => {
  const dsns = [0, 1].map(() => fleet.claim(({ csp, mode }) => csp === 'Meridian Air' && mode === 4).dsn);
  const [inherited, released] = dsns as [string, string];
  const api = await people.api('cspAdmin');
  const [page, desk] = [await open('cspAdmin', DESK), await open('admin', DESK)];
  const [screen, everything] = [new AttentionScreen(page), new AttentionScreen(desk)];
  await page.goto('/attention');
  for (const dsn of dsns) await setSchedule(api, dsn, NEVER);
  for (const dsn of dsns) await expect(screen.item(KIND, dsn)).toBeVisible();
  const removals = [
    { email: 'wanda@sillage.example', firstname: 'Wanda', dsn: inherited },
    { email: 'rolf@sillage.example', firstname: 'Rolf', dsn: released },
  ];
  for (const { email, firstname, dsn } of removals) {
    const { id } = await guests.invite(email, { firstname });
    await guests.confirm(await mailbox.link(email));
    const { items } = await (await api.get(`/api/attention?dsn=${dsn}`)).json();
    const ids = items.map((item: { id: string }) => item.id);
    await expect(async () => {
      // A new person can be chosen once the index knows them.
      const answer = await api.post('/api/attention/update', { data: { ids, assignee: id } });
      expect(answer.status(), await answer.text()).toBe(200);
    }).toPass();
    await expect(screen.item(KIND, dsn)).toContainText(`Assigned to ${firstname} Guest`);
    await desk.goto(`/attention?assignee=${id}`);
    await expect(desk.getByRole('button', { name: `Remove filter Assigned to ${firstname} Guest` })).toBeVisible();
    await expect(everything.item(KIND, dsn)).toBeVisible();

    await page.goto(`/users/${id}`);
    const form = new UserFormScreen(page);
    await form.remove.click();
    const dialog = form.dialog('Remove User');
    const successor = dialog.getByRole('combobox', { name: /^1 open item is assigned to this person/ });
    await expect(successor).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'removal of a person with open items');
    if (dsn === inherited) {
      const { firstname, lastname } = (await (await api.get('/api/session')).json()).user;
      await successor.click();
      await page.getByRole('option', { name: `${firstname} ${lastname}` }).click();
    }
    await dialog.getByRole('button', { name: 'Remove User' }).click();
    await expect(page.getByRole('alert').filter({ hasText: 'Successfully removed user' })).toBeVisible();
    await page.goto('/attention');
  }
  await expect(screen.item(KIND, released)).not.toContainText('Assigned to');
  await page.getByRole('button', { name: 'Mine · 1' }).click();
  await expect(page).toHaveURL('/attention?assignee=me');
  await expect(screen.item(KIND, inherited)).toBeVisible();
  await expect(screen.item(KIND, released)).toHaveCount(0);
  await expect(
    new Shell(page).navigation.getByRole('link', { name: /Attention ?1 item assigned to you/ }),
  ).toBeVisible();
  await page.goto('/attention?assignee=nobody');
  await expect(screen.item(KIND, released)).toBeVisible();
  await expect(screen.item(KIND, inherited)).toHaveCount(0);
  for (const dsn of dsns) await setSchedule(api, dsn, WEEK);
});

test('filters are in the address, and thresholds belong to the CSP', async ({ open, guard }) => {
  guard.expect(422, /^\/api\/attention\/settings/);
  const page = await open('cspAdmin', DESK);
  const screen = new AttentionScreen(page);
  await page.goto('/attention');
  await screen.filter.click();
  const dialog = screen.dialog('Filter items');
  await dialog.getByRole('combobox', { name: 'State' }).click();
  await page.getByRole('option', { name: 'Snoozed' }).click();
  await dialog.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL('/attention?state=snoozed');
  await page.reload();
  await expect(page.getByRole('button', { name: 'Remove filter State' })).toBeVisible();

  await screen.thresholds.click();
  const days = page.getByRole('textbox', { name: 'Days before a cartridge runs dry' });
  await expect(days).toHaveValue('7');
  await days.fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByText('must be a whole number from 1 to 60')).toBeVisible();
  await days.fill('10');
  await page.getByRole('checkbox', { name: 'Uses more than scheduled' }).uncheck();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Thresholds saved' })).toBeVisible();
  await page.reload();
  await expect(days).toHaveValue('10');
  await expect(page.getByRole('checkbox', { name: 'Uses more than scheduled' })).not.toBeChecked();
  const other = await open('otherCspAdmin', DESK);
  await other.goto('/attention/settings');
  await expect(other.getByRole('textbox', { name: 'Days before a cartridge runs dry' })).toHaveValue('7');
});
