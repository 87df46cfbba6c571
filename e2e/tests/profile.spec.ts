import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { AccountScreen } from '../screens/account';
import { DeviceListScreen } from '../screens/device-list';
import { Shell } from '../screens/shell';
import { SIGN_IN_FAILED, SignInScreen } from '../screens/sign-in';
import { DESK, PHONE } from '../screens/sizes';

// Changes names and passwords.
test.use({ world: 'accounts' });

const NEW = 'Other-Horse-2';
const PASSWORD = /^\/api\/account\/password$/;
const SESSION = /^\/api\/session$/;

test('personal information is changed, and stays changed', async ({ open, people }) => {
  const page = await open('noRole', DESK);
  await page.goto('/account');
  const account = new AccountScreen(page);
  await expect(account.field('Email')).toHaveValue(people.account('noRole').email);
  await expect(account.field('Email')).toHaveAttribute('readonly');
  await expectAccessible(page, 'personal information');
  await account.field('First Name').fill('Nora');
  await account.field('Last Name').fill('Nowhere');
  await account.field('City').fill('Chicago');
  await account.choose('Country', 'United States');
  await account.choose('State/Province', 'IL - Illinois');
  await account.save.click();
  await expect(page.getByText('Successfully updated account')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Account of Nora Nowhere' })).toBeVisible();

  await page.reload();
  for (const [field, value] of [
    ['First Name', 'Nora'],
    ['Last Name', 'Nowhere'],
    ['City', 'Chicago'],
  ] as const) {
    await expect(account.field(field)).toHaveValue(value);
  }
  await expect(account.choice('Country')).toHaveValue('United States');
  await expect(account.choice('State/Province')).toHaveValue('IL - Illinois');
});

test('what is typed during a save stays, and is not lost without a question', async ({ open }) => {
  const page = await open('observer', DESK);
  await page.goto('/account');
  const account = new AccountScreen(page);
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/account', async (route) => {
    if (route.request().method() === 'PUT') await held;
    await route.continue();
  });
  await account.field('City').fill('Peoria');
  await account.save.click();
  await account.field('City').fill('Joliet');
  release();
  const saved = page.getByText('Successfully updated account');
  await expect(saved).toBeVisible();
  await expect(account.field('City')).toHaveValue('Joliet');

  await new Shell(page).navigation.getByRole('link', { name: 'Devices' }).click();
  await expect(page.getByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
  await page.getByRole('button', { name: 'Stay' }).click();
  await expect(account.field('City')).toHaveValue('Joliet');
  await expect(saved).toHaveCount(0);
  await account.save.click();
  await expect(saved).toBeVisible();
  await new Shell(page).navigation.getByRole('link', { name: 'Devices' }).click();
  await expect(page.getByRole('table', { name: 'Devices' })).toBeVisible();
  await page.goto('/account');
  await expect(account.field('City')).toHaveValue('Joliet');
});

test('a failed save of personal information is announced and keeps the draft', async ({ open, system, guard }) => {
  guard.expect(502, /^\/api\/account$/);
  const page = await open('observer', PHONE);
  await page.goto('/account');
  const account = new AccountScreen(page);
  await account.field('First Name').fill('');
  await account.save.tap();
  await expect(account.field('First Name')).toHaveAccessibleDescription('Required');
  await expectAccessible(page, 'personal information with an error');
  await account.field('First Name').fill('Olivia');
  system.cloudProxy.fail({ match: /^PUT .*\/users\.json/, status: 500 });
  await account.save.tap();
  await expect(page.getByText('Failed to save personal information')).toBeVisible();
  await page.reload();
  await expect(account.field('First Name')).toHaveValue('Olivia');
  await page.getByRole('button', { name: 'Discard' }).tap();
  await expect(account.field('First Name')).not.toHaveValue('Olivia');
});

test('a changed password keeps this browser signed in and ends the other', async ({ open, people, guard }) => {
  for (const path of [PASSWORD, /^\/api\//]) guard.expect(422, path);
  guard.expect(401, /^\/api\//);
  const { email, password } = people.account('cspTech');
  const left = await open('cspTech', { ownSession: true });
  await left.goto('/devices');
  await expect(new Shell(left).live).toHaveText('Live');

  const page = await open('cspTech', { ...DESK, ownSession: true });
  await page.goto('/account');
  const account = new AccountScreen(page);
  await account.tab('Set Password').click();
  await account.changePassword(password, NEW, 'other');
  await expect(account.field('Confirm new password')).toHaveAccessibleDescription('Does not match');
  await account.changePassword('Wrong-Horse-1', NEW);
  await expect(page.getByText('Failed to save new password')).toBeVisible();
  await expect(account.field('Current password')).toHaveAccessibleDescription('is invalid');
  await expectAccessible(page, 'set password with an error');
  await account.changePassword(password, NEW);
  await expect(page.getByText('Successfully updated password')).toBeVisible();
  await expect(account.field('Current password')).toHaveValue('');

  const signIn = new SignInScreen(left);
  await expect(signIn.heading).toBeVisible();
  await account.tab('Sessions').click();
  await expect(account.sessions).toHaveCount(1);
  await page.goto('/devices');
  await expect(new Shell(page).live).toHaveText('Live');
  await expect(new DeviceListScreen(page).heading).toBeVisible();

  await signIn.signIn({ email, password });
  await expect(signIn.email).toHaveAccessibleDescription(SIGN_IN_FAILED);
  await signIn.signIn({ email, password: NEW });
  await expect(new DeviceListScreen(left).heading).toBeVisible();
});

test('if no new session can start after a password change, the user is signed out with a reason', async ({
  open,
  people,
  system,
  guard,
}) => {
  guard.expect(502, PASSWORD);
  guard.expect(401, /^\/api\//);
  const { email, password } = people.account('cspAdmin');
  const page = await open('cspAdmin', { ...PHONE, ownSession: true });
  await page.goto('/account?tab=password');
  const account = new AccountScreen(page);
  await expectAccessible(page, 'set password');
  system.cloudProxy.fail({ match: /users\/sign_in/, status: 500 });
  await account.changePassword(password, NEW);
  await expect(page.getByText('Failed to authenticate after password change')).toBeVisible();
  const signIn = new SignInScreen(page);
  await expect(signIn.heading).toBeVisible();
  system.cloudProxy.heal();
  guard.expect(401, SESSION);
  await signIn.signIn({ email, password: NEW });
  await expect(page.getByRole('button', { name: /^Account of / })).toBeVisible();
});
