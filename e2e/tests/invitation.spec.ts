import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { GUEST_PASSWORD } from '../harness/guests';
import { loseAnswer, reload } from '../harness/lost-answer';
import { AccountScreen } from '../screens/account';
import { ConfirmScreen, NewPasswordScreen } from '../screens/auth';
import { DeviceListScreen } from '../screens/device-list';
import { DeviceScreen } from '../screens/device-page';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { PHONE } from '../screens/sizes';
import { UserFormScreen } from '../screens/user-form';

// Adds people.
test.use({ world: 'people' });

const TECH = 'OEM::ProlitecCommercial::CspTech';
const CSP_ADMIN = 'OEM::ProlitecCommercial::CspAdmin';
const CSP_OBSERVER = 'OEM::ProlitecCommercial::CspObserver';

test('an invited technician can work after confirming, and sees only the own CSP', async ({
  open,
  fleet,
  mailbox,
  guard,
}) => {
  const [own, other] = ['Meridian Air', 'Northlight Scents'].map((name) => fleet.find(({ csp }) => csp === name).dsn);
  const email = 'theo@example.com';
  const inviting = await open('cspAdmin');
  await inviting.goto('/users/invite');
  const form = new UserFormScreen(inviting);
  await form.fillIn(email);
  // The inviter learns no password.
  await form.letThemChoose.check();
  await expect(form.passwords).toHaveCount(0);
  await expectAccessible(inviting, 'invitation without a password');
  await form.invite.click();
  await expect(inviting.getByRole('alert').filter({ hasText: 'Successfully invited user' })).toBeVisible();

  const page = await open(null);
  const link = new URL(await mailbox.link(email));
  await page.goto(`${link.pathname}${link.search}`);
  await expect(new ConfirmScreen(page).done).toBeVisible();
  await page.getByRole('link', { name: 'Set your own password' }).click();
  const newPassword = new NewPasswordScreen(page);
  await newPassword.set(GUEST_PASSWORD);
  await expect(newPassword.done).toBeVisible();
  await page.getByRole('link', { name: 'Sign in' }).first().click();
  await new SignInScreen(page).signIn({ email, password: GUEST_PASSWORD });
  const list = new DeviceListScreen(page);
  await expect(list.rows).not.toHaveCount(0);
  await expect(list.addDevice).toBeVisible();
  await list.search.fill(`${other}`);
  await expect(list.rows).toHaveCount(0);
  await page.goto(`/devices/${own}`);
  await expect(new DeviceScreen(page).product('Mode')).toBeVisible();
  guard.expect(404, new RegExp(`^/api/devices/dsns/${other}`));
  await page.goto(`/devices/${other}`);
  await expect(new DeviceScreen(page).product('Mode')).toHaveCount(0);
  await expect(page.getByText('Device not found')).toBeVisible();
});

test('a user whose answer was lost is invited once, also after the page was loaded again', async ({
  open,
  people,
  mailbox,
  guard,
}) => {
  guard.expect('broken', /^\/api\/users$/);
  const email = 'lotte@example.com';
  const page = await open('cspAdmin');
  await page.goto('/users/invite');
  const form = new UserFormScreen(page);
  await form.fillIn(email);
  const keys = await loseAnswer(page, '**/api/users');
  await form.invite.click();
  await expect(page.getByRole('alert').filter({ hasText: /^Failed to invite user/ })).toBeVisible();
  await mailbox.link(email);

  await reload(page);
  await expect(form.restored).toBeVisible();
  // Passwords are not kept.
  await form.fillIn(email);
  await form.invite.click();
  await expect(page.getByRole('alert').filter({ hasText: 'Successfully invited user' })).toBeVisible();
  expect(keys).toHaveLength(2);
  expect(new Set(keys).size).toBe(1);
  const found = await (await people.api('cspAdmin')).get(`/api/users?email=${email}`);
  expect((await found.json()).total).toBe(1);
});

test('a generated password is copied, signs in, and is replaced by one that only its user knows', async ({
  open,
  mailbox,
}) => {
  const email = 'gita@example.com';
  const inviting = await open('cspAdmin', { permissions: ['clipboard-read', 'clipboard-write'] });
  await inviting.goto('/users/invite');
  const form = new UserFormScreen(inviting);
  await form.fillIn(email);
  await form.generate.click();
  await form.copy.click();
  await expect(inviting.getByText('Copied the password')).toBeVisible();
  const password = await inviting.evaluate(() => navigator.clipboard.readText());
  await expect(form.password('Password')).toHaveValue(password);
  expect(password).toMatch(/^\w{4}-\w{4}-\w{4}-\w{4}$/);
  await expectAccessible(inviting, 'generated password');
  await form.invite.click();
  await expect(inviting.getByText('Successfully invited user')).toBeVisible();

  const page = await open(null, PHONE);
  const link = new URL(await mailbox.link(email));
  await page.goto(`${link.pathname}${link.search}`);
  await page.getByRole('link', { name: 'Sign in' }).first().tap();
  await new SignInScreen(page).signIn({ email, password });
  await expect(new DeviceListScreen(page).heading).toBeVisible();
  await page.goto('/account?tab=password');
  const account = new AccountScreen(page);
  await expect(account.tab('Set Password')).toHaveAttribute('aria-selected', 'true');
  await account.changePassword(password, 'My-Own-Secret-7');
  await expect(page.getByText('Successfully updated password')).toBeVisible();
});

test('changed permissions apply to the open page', async ({ open, guests, mailbox, fleet, guard }) => {
  guard.expect(403, /^\/api\/users$/);
  guard.expect(404, /^\/api\/devices\/dsns\//);
  const email = 'vera@example.com';
  const vera = await guests.invite(email, { role: CSP_ADMIN });
  await guests.confirm(await mailbox.link(email));
  const page = await open(null);
  await page.goto('/signin');
  await new SignInScreen(page).signIn({ email, password: GUEST_PASSWORD });
  const shell = new Shell(page);
  const users = shell.navigation.getByRole('link', { name: 'Users' });
  await users.click();
  await expect(page.getByRole('link', { name: 'Invite User' })).toBeVisible();
  await expect(shell.live).toHaveText('Live');

  await guests.change(vera, { role: CSP_OBSERVER });
  await expect(page.getByRole('link', { name: 'Invite User' })).toHaveCount(0);
  await expect(users).toBeVisible();

  await guests.change(vera, { role: TECH });
  await expect(shell.refused).toBeVisible();
  await page.goto(`/devices/${fleet.find(({ csp }) => csp === 'Meridian Air').dsn}`);
  await expect(new DeviceScreen(page).product('Mode')).toBeVisible();
  await expect(users).toHaveCount(0);

  await guests.change(vera, { role: TECH, csp: 'Northlight Scents' });
  await expect(page.getByText('Device not found')).toBeVisible();
});
