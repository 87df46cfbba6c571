import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { GUEST_PASSWORD } from '../harness/guests';
import { ConfirmScreen } from '../screens/auth';
import { DeviceListScreen } from '../screens/device-list';
import { SIGN_IN_FAILED, SignInScreen } from '../screens/sign-in';
import { PHONE } from '../screens/sizes';

// Adds people.
test.use({ world: 'accounts' });

const CONFIRM = /^\/api\/account\/confirm$/;
const SENT = /^POST \/api\/account\/confirm$/;

test("an invited user confirms with the mail's link and signs in", async ({
  open,
  guests,
  mailbox,
  guard,
  frontProxy,
}) => {
  guard.expect(401, /^\/api\/session$/);
  guard.expect(422, CONFIRM);
  const email = 'ina@sillage.example';
  await guests.invite(email);
  const page = await open(null, { ...PHONE, through: frontProxy });
  await page.goto('/signin');
  const signIn = new SignInScreen(page);
  await signIn.signIn({ email, password: GUEST_PASSWORD });
  await expect(signIn.email).toHaveAccessibleDescription(SIGN_IN_FAILED);

  const link = new URL(await mailbox.link(email));
  await page.goto(`${link.pathname}${link.search}`);
  const confirm = new ConfirmScreen(page);
  await expect(confirm.done).toBeFocused();
  await expect(page).toHaveURL('/account/confirm');
  await expectAccessible(page, 'account confirmed');
  expect(frontProxy.count(SENT)).toBe(1);

  await page.getByRole('link', { name: 'Sign in' }).first().tap();
  await signIn.signIn({ email, password: GUEST_PASSWORD });
  await expect(new DeviceListScreen(page).heading).toBeVisible();

  // The token is valid only once.
  await page.goto(`${link.pathname}${link.search}`);
  await expect(confirm.token).toHaveAccessibleDescription('is invalid');
  await expect(page.getByRole('alert')).toHaveText('is invalid');
  await expectAccessible(page, 'wrong confirmation token');
});

test('without a link there is a field for the token', async ({ open, guard, frontProxy }) => {
  guard.expect(422, CONFIRM);
  const page = await open(null, { through: frontProxy });
  await page.goto('/signin');
  await page.getByRole('link', { name: 'Confirm account' }).click();
  const confirm = new ConfirmScreen(page);
  await expect(confirm.token).toHaveValue('');
  await confirm.submit.click();
  await expect(confirm.token).toHaveAccessibleDescription('Required');
  expect(frontProxy.count(SENT)).toBe(0);
  await confirm.token.fill('0123456789abcdef');
  await confirm.submit.press('Enter');
  await expect(confirm.token).toHaveAccessibleDescription('is invalid');
});

test('a refusal without a message means an invalid token', async ({ open, system, guard }) => {
  guard.expect(422, CONFIRM);
  system.cloudProxy.fail({ match: /users\/confirmation/, status: 422 });
  const page = await open(null);
  await page.goto('/account/confirm?token=0a1b');
  const confirm = new ConfirmScreen(page);
  await expect(confirm.token).toHaveAccessibleDescription('Invalid Token');
  await expect(confirm.token).toHaveValue('0a1b');
  system.cloudProxy.heal();
  await confirm.submit.click();
  await expect(confirm.token).toHaveAccessibleDescription('is invalid');
});
