import type { Page } from '@playwright/test';
import { expectAccessible, expectAccessibleInBothSchemes } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { isOnline, readDevice, readNotifications } from '../harness/fleet';
import { tabTo } from '../harness/keyboard';
import { NotificationsBlock } from '../screens/notifications';
import { alert } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';

// Sends messages, which other tests count.
test.use({ world: 'notifications' });

const DEVICE = /^\/api\/devices\/dsns\//;
const ofMeridian = ({ csp }: { csp?: string | null }) => csp === 'Meridian Air';

async function visit(page: Page, dsn: string): Promise<NotificationsBlock> {
  await page.goto(`/devices/${dsn}`);
  const block = new NotificationsBlock(page);
  await expect(block.root).toBeVisible();
  return block;
}

test('a recipient is added, gets other events, is replaced and removed', async ({ open, fleet, people }) => {
  const { dsn } = fleet.claim((device) => ofMeridian(device) && device.country === 'United States');
  const page = await open('cspTech', DESK);
  const block = await visit(page, dsn);
  await expect(block.empty).toBeVisible();

  await block.add.click();
  const { dialog } = block;
  await expect(dialog.country).toHaveValue('United States (+1)');
  await dialog.method.click();
  await expect(page.getByRole('option')).toHaveText(['SMS', 'Email']);
  await page.getByRole('option', { name: 'SMS' }).click();
  await expect(dialog.root.getByRole('checkbox')).toHaveCount(3);
  await dialog.phone.fill('(414) 555-0100');
  await dialog.event('Disconnected').check();
  await dialog.save.click();
  await expect(alert(page, 'Successfully updated notification')).toBeVisible();
  await expect(dialog.root).toBeHidden();
  await expect(block.columns).toHaveText([
    'Method',
    'Recipient',
    'Connected',
    'Disconnected',
    'Low Product Level',
    'Edit',
    'Remove',
  ]);
  await expect.poll(() => block.rows()).toEqual([['SMS', '+14145550100', 'No', 'Yes', 'No']]);

  await block.add.click();
  await dialog.choose(dialog.method, 'Email');
  await dialog.email.fill('  jo@example.com ');
  for (const event of ['Connected', 'Disconnected', 'Low Product Level'] as const) await dialog.event(event).check();
  await dialog.save.click();
  await expect(block.edit('jo@example.com')).toBeVisible();

  // Adding the same recipient again.
  await block.add.click();
  await dialog.choose(dialog.method, 'Email');
  await dialog.email.fill('JO@example.com');
  await dialog.event('Connected').check();
  await dialog.save.click();
  await expect(dialog.root).toBeHidden();
  await expect
    .poll(() => block.rows())
    .toEqual([
      ['Email', 'jo@example.com', 'Yes', 'Yes', 'Yes'],
      ['SMS', '+14145550100', 'No', 'Yes', 'No'],
    ]);

  await block.edit('+14145550100').click();
  await expect(dialog.method).toBeDisabled();
  await expect(dialog.method).toHaveValue('SMS');
  await expect(dialog.phone).toHaveValue('(414) 555-0100');
  await expect(dialog.event('Connected')).not.toBeChecked();
  await expect(dialog.event('Disconnected')).toBeChecked();
  await expect(dialog.event('Low Product Level')).not.toBeChecked();
  await dialog.choose(dialog.country, 'United Kingdom (+44)');
  await dialog.phone.fill('020 7946 0018');
  await dialog.event('Disconnected').uncheck();
  await dialog.event('Low Product Level').check();
  await dialog.save.click();
  await expect(block.edit('+442079460018')).toBeVisible();
  await expect.poll(async () => (await block.rows())[1]).toEqual(['SMS', '+442079460018', 'No', 'No', 'Yes']);

  await block.remove('jo@example.com').click();
  await expect(alert(page, 'Successfully removed notification')).toBeVisible();
  await expect(block.edit('jo@example.com')).toHaveCount(0);
  const notifications = await readNotifications(await people.api('cspTech'), dsn);
  expect(notifications.map(({ recipient }) => recipient)).toEqual(['+442079460018']);
});

test('a removal can be undone for 30 seconds', async ({ open, fleet, people }) => {
  const { dsn } = fleet.claim(ofMeridian);
  const api = await people.api('cspTech');
  for (const recipient of ['jo@example.com', 'kim@example.com']) {
    const data = { method: 'email', recipient, events: { connected: true, lowProductLevel: true } };
    expect((await api.post(`/api/devices/dsns/${dsn}/notifications`, { data })).status()).toBe(200);
  }
  const before = await readNotifications(api, dsn);
  const page = await open('cspTech', DESK);
  await page.clock.install();
  const block = await visit(page, dsn);
  await block.remove('jo@example.com').click();
  await expect(block.undo).toHaveText(/^Undo\s· \d+ s$/);
  await expect(block.root.getByText('Removed the notification of jo@example.com')).toBeVisible();
  await block.undo.click();
  await expect(block.edit('jo@example.com')).toBeVisible();
  await expect(block.undo).toHaveCount(0);
  const restored = await readNotifications(api, dsn);
  const withoutEventIds = (all: typeof before) => all.map(({ events: _, ...notification }) => notification);
  expect(withoutEventIds(restored)).toEqual(withoutEventIds(before));
  await expect
    .poll(() => block.rows())
    .toEqual([
      ['Email', 'jo@example.com', 'Yes', 'No', 'Yes'],
      ['Email', 'kim@example.com', 'Yes', 'No', 'Yes'],
    ]);

  await block.remove('kim@example.com').click();
  await expect(block.undo).toBeVisible();
  await page.clock.fastForward(31_000);
  await expect(block.undo).toHaveCount(0);
  await expect(block.remove('kim@example.com')).toHaveCount(0);
});

test('a failed save shows the reason', async ({ open, fleet, system, guard }) => {
  guard.expect(422, DEVICE);
  guard.expect(502, DEVICE);
  const { dsn } = fleet.claim(ofMeridian);
  const page = await open('cspTech', DESK);
  const block = await visit(page, dsn);
  const { dialog } = block;
  await block.add.click();
  await dialog.phone.fill('12');
  await dialog.save.click();
  await expect(dialog.root.getByText('Select at least one event')).toBeVisible();
  await dialog.event('Connected').check();
  await dialog.save.click();
  await expect(dialog.phone).toHaveAccessibleDescription(/^Invalid phone number /);
  await expect(dialog.phone).toBeFocused();
  await expect(alert(page, 'Failed to save notification: Some values are not valid.')).toBeVisible();
  await expectAccessible(page, 'notification dialog with errors');

  await dialog.phone.fill('414 555 0100');
  const heal = system.cloudProxy.fail({ match: /^POST .*\/notification_apps/, status: 500 });
  await dialog.save.click();
  await expect(alert(page, 'Failed to save notification: Connected was not saved')).toBeVisible();
  heal();
  await dialog.save.click();
  await expect(block.remove('+14145550100')).toBeVisible();

  system.cloudProxy.fail({ match: /^DELETE .*\/notification_apps/, status: 500 });
  await block.remove('+14145550100').click();
  await expect(alert(page, 'Failed to remove notification: Connected was not removed')).toBeVisible();
  await expect(block.remove('+14145550100')).toBeVisible();
});

test('users who may not edit the device see the recipients and no buttons', async ({ open, fleet, people }) => {
  const { dsn } = fleet.claim(ofMeridian);
  const data = { method: 'email', recipient: 'jo@example.com', events: { connected: true } };
  const added = await (await people.api('cspTech')).post(`/api/devices/dsns/${dsn}/notifications`, { data });
  expect(added.status()).toBe(200);
  for (const person of ['observer', 'cspObserver'] as const) {
    const block = await visit(await open(person, DESK), dsn);
    await expect.poll(() => block.rows()).toEqual([['Email', 'jo@example.com', 'Yes', 'No', 'No']]);
    await expect(block.columns).toHaveCount(5);
    await expect(block.root.getByRole('button')).toHaveCount(0);
  }
});

test('a notification is added on a phone, accessible in light and dark', async ({ open, fleet }) => {
  const { dsn } = fleet.claim(ofMeridian);
  const page = await open('cspTech', PHONE);
  const block = await visit(page, dsn);
  const { dialog } = block;
  await block.add.click();
  await expect(dialog.save).toBeVisible();
  await expectAccessibleInBothSchemes(page, 'notification dialog');
  await dialog.choose(dialog.method, 'Email');
  await dialog.email.fill('front.desk.of.the.harbor.hotel.chicago@example.com');
  await dialog.event('Low Product Level').check();
  await dialog.save.click();
  await expect(block.cards).toHaveCount(1);
  await expect(dialog.root).toBeHidden();
  await expect(alert(page, 'Successfully updated notification')).toBeHidden();
  await expectAccessibleInBothSchemes(page, 'notifications');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.viewport.width);
  await block.edit('front.desk.of.the.harbor.hotel.chicago@example.com').click();
  await expect(dialog.email).toHaveValue('front.desk.of.the.harbor.hotel.chicago@example.com');
});

test('the keyboard is enough to manage notifications', async ({ open, fleet }) => {
  const { dsn } = fleet.claim(ofMeridian);
  const page = await open('cspTech', DESK);
  const block = await visit(page, dsn);
  const { dialog } = block;
  await tabTo(page, block.add);
  await page.keyboard.press('Enter');
  await expect(dialog.phone).toBeFocused();
  await page.keyboard.type('4145550100');
  await tabTo(page, dialog.event('Connected'));
  await page.keyboard.press('Space');
  await page.keyboard.press('Enter');
  await expect(dialog.root).toBeHidden();
  await expect(block.add).toBeFocused();
  await tabTo(page, block.edit('+14145550100'));
  await page.keyboard.press('Enter');
  await expect(dialog.phone).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(block.edit('+14145550100')).toBeFocused();
  await tabTo(page, block.remove('+14145550100'));
  await page.keyboard.press('Enter');
  await expect(block.empty).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Notifications' })).toBeFocused();
});

test('recipients get a message for each event', async ({ people, diffuser, fleet, system, mailbox }) => {
  const api = await people.api('admin');
  const notify = async (dsn: string, recipient: string, events: Record<string, boolean>) => {
    const data = { method: 'email', recipient, events };
    const added = await api.post(`/api/devices/dsns/${dsn}/notifications`, { data });
    expect(added.status()).toBe(200);
  };
  const low = fleet.claim(({ fragranceRemaining }) => (fragranceRemaining ?? 0) >= 20);
  await notify(low.dsn, 'refill@example.com', { lowProductLevel: true });
  await system.writeValue(low.dsn, 'fragrance_remaining', 12, /^POST .*\/triggers/);
  await expect.poll(() => mailbox.subjectsTo('refill@example.com')).toEqual([expect.stringContaining('12')]);

  diffuser.plugIn();
  const isConnected = async () => isOnline(await readDevice(api, diffuser.dsn));
  await expect.poll(isConnected).toBe(true);
  await notify(diffuser.dsn, 'watch@example.com', { connected: true, disconnected: true });
  await diffuser.pullOut();
  await expect
    .poll(() => mailbox.subjectsTo('watch@example.com'))
    .toEqual([expect.stringContaining('lost its connection')]);
  diffuser.plugIn();
  await expect
    .poll(() => mailbox.subjectsTo('watch@example.com'))
    .toEqual([expect.stringContaining('connected again'), expect.stringContaining('lost its connection')]);
});
