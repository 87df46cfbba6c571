import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { AccountScreen } from '../screens/account';
import { ScheduleScreen } from '../screens/schedule-page';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { PHONE } from '../screens/sizes';

/** A time such as 3:41 PM, with any kind of space. */
const TWELVE_HOUR = /\d:\d\d\s[AP]M/u;

test('the account page leads to sign out', async ({ open }) => {
  const page = await open('cspObserver', { ownSession: true });
  await page.goto('/devices');
  await new Shell(page).openAccount();
  await page.getByRole('link', { name: 'Account', exact: true }).click();
  const account = new AccountScreen(page);
  await expect(account.heading).toBeVisible();
  await expect(account.signOut).toHaveAttribute('href', '/signout');
  await account.signOut.click();
  await expect(new SignInScreen(page).heading).toBeVisible();
});

test('a session left open can be ended from another one', async ({ open }) => {
  const left = await open('otherCspAdmin', { ownSession: true });
  await left.goto('/devices');
  await expect(new Shell(left).live).toHaveText('Live');
  const page = await open('otherCspAdmin', { ...PHONE, ownSession: true });
  await page.goto('/account?tab=sessions');
  const account = new AccountScreen(page);
  await expect(account.sessions.filter({ hasText: 'This session' })).toHaveCount(1);
  // The row of tabs is wider than the phone.
  await expect(account.tab('Sessions')).toBeInViewport({ ratio: 1 });
  await expectAccessible(page, 'own sessions');
  const before = await account.sessions.count();
  await account.sessions
    .getByRole('button', { name: /^End the session of Chrome/ })
    .first()
    .tap();
  await expect(page.getByText('Successfully ended session')).toBeVisible();
  await expect(account.sessions).toHaveCount(before - 1);
  if (await account.endOthers.isVisible()) await account.endOthers.tap();
  await expect(account.sessions).toHaveCount(1);
  await expect(new SignInScreen(left).heading).toBeVisible();
  await expect(new Shell(page).account).toBeVisible();
});

test('the 24-hour format is chosen by keyboard, applies everywhere and survives a new sign-in', async ({
  open,
  people,
  fleet,
}) => {
  const { dsn } = fleet.find(({ csp }) => csp === 'Northlight Scents');
  const page = await open('otherCspAdmin', { ownSession: true });
  await page.goto('/account');
  const account = new AccountScreen(page);
  await account.tab('Set Password').focus();
  await page.keyboard.press('ArrowRight');
  await expect(account.tab('Time Format')).toBeFocused();
  await expect(page).toHaveURL('/account?tab=time-format');
  await expect(page.getByText(/^It is /)).toHaveText(TWELVE_HOUR);
  await account.timeFormats.getByRole('radio', { name: '12-hour' }).focus();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText('Successfully updated time format')).toBeVisible();
  await expect(page.getByText(/^It is /)).not.toHaveText(TWELVE_HOUR);
  await expectAccessible(page, 'time format');

  await page.goto('/signout');
  await new SignInScreen(page).signIn(people.account('otherCspAdmin'));
  await expect(new Shell(page).account).toBeVisible();
  const addresses = ['/devices', `/devices/${dsn}`, `/devices/${dsn}/edit/schedule`, '/users', '/audit'];
  for (const address of [...addresses, '/account?tab=sessions']) {
    await page.goto(address);
    await expect(new Shell(page).live).toHaveText('Live');
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
    await expect(page.getByRole('main')).not.toHaveText(TWELVE_HOUR);
  }
  await page.goto(`/devices/${dsn}/edit/schedule`);
  const dialog = await new ScheduleScreen(page).edit(1);
  await expect(dialog.time('Start Time')).toHaveValue(/^\d\d:\d\d$/);
  await expect(dialog.half('Start Time', 'AM')).toHaveCount(0);
  await page.goto('/account?tab=time-format');
  await account.timeFormats.getByText('12-hour').click();
  await expect(page.getByText(/^It is /)).toHaveText(TWELVE_HOUR);
});
