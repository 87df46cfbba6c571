import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { GUEST_PASSWORD } from '../harness/guests';
import { ConfirmEmailScreen, ConfirmScreen } from '../screens/auth';
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
  guard.expect(409, CONFIRM);
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

  // The token is valid only once, also with the line break that a mail program added.
  for (const search of [link.search, `${link.search}%0A`]) {
    await page.goto(`${link.pathname}${search}`);
    await expect(confirm.doneBefore).toBeFocused();
  }
  await expectAccessible(page, 'account confirmed before');
  await page.getByRole('link', { name: 'Sign in' }).first().tap();
  await expect(signIn.heading).toBeVisible();
});

test('a scanner that opens the links of mails confirms an account, and the person signs in', async ({
  open,
  guests,
  mailbox,
  guard,
}) => {
  guard.expect(409, CONFIRM);
  const email = 'sara@sillage.example';
  await guests.invite(email);
  const link = new URL(await mailbox.link(email));
  const scanner = await open(null);
  await scanner.goto(`${link.pathname}${link.search}`);
  await expect(new ConfirmScreen(scanner).done).toBeVisible();

  const page = await open(null, PHONE);
  await page.goto(`${link.pathname}${link.search}`);
  await expect(new ConfirmScreen(page).doneBefore).toBeVisible();
  await page.getByRole('link', { name: 'Sign in' }).first().tap();
  await new SignInScreen(page).signIn({ email, password: GUEST_PASSWORD });
  await expect(new DeviceListScreen(page).heading).toBeVisible();
});

test('a new address waits for the password or a session of the account', async ({
  open,
  guests,
  mailbox,
  people,
  system,
  guard,
  frontProxy,
}) => {
  guard.expect(422, /^\/api\/account\/email\/confirm$/);
  const [email, first, second] = ['nina@sillage.example', 'nina.1@sillage.example', 'nina.2@sillage.example'];
  await guests.invite(email);
  await guests.confirm(await mailbox.link(email));
  const phone = await open(null, { ...PHONE, through: frontProxy });
  await phone.goto('/signin');
  const signIn = new SignInScreen(phone);
  await signIn.signIn({ email, password: GUEST_PASSWORD });
  await expect(new DeviceListScreen(phone).heading).toBeVisible();
  await system.requestEmail(first);

  const link = new URL(await mailbox.link(first));
  const stranger = await people.stranger();
  for (const method of ['HEAD', 'GET']) {
    expect((await stranger.fetch(`${link.pathname}${link.search}`, { method })).status()).toBe(200);
  }
  const scanner = await open(null, { through: frontProxy });
  await scanner.goto(`${link.pathname}${link.search}`);
  const unowned = new ConfirmEmailScreen(scanner);
  await expect(unowned.token).not.toHaveValue('');
  // What a person in whose mailbox the message is by mistake may try.
  await unowned.submit.click();
  await expect(unowned.password).toHaveAccessibleDescription(/Required/);
  const sent = () => frontProxy.count(/^POST \/api\/account\/email\/confirm$/);
  expect(sent()).toBe(0);
  await unowned.password.fill('Wrong-Horse-1');
  await unowned.submit.click();
  await expect(unowned.password).toHaveAccessibleDescription(/is invalid/);
  await expectAccessible(scanner, 'wrong password for a new address');
  await phone.reload();
  await expect(new DeviceListScreen(phone).heading).toBeVisible();

  // The owner's session is as good as the password.
  await phone.goto(`${link.pathname}${link.search}`);
  const own = new ConfirmEmailScreen(phone);
  await expect(phone).toHaveURL('/account/email/confirm');
  await expect(own.password).toHaveCount(0);
  expect(sent()).toBe(1);
  await own.submit.tap();
  await expect(own.done).toBeFocused();
  await phone.getByRole('link', { name: 'Sign in' }).first().tap();
  await signIn.signIn({ email: first, password: GUEST_PASSWORD });
  await expect(new DeviceListScreen(phone).heading).toBeVisible();
  await system.requestEmail(second);

  const next = new URL(await mailbox.link(second));
  const desk = await open(null);
  await desk.goto(`${next.pathname}${next.search}`);
  const asked = new ConfirmEmailScreen(desk);
  await asked.password.fill(GUEST_PASSWORD);
  await asked.password.press('Enter');
  await expect(asked.done).toBeFocused();
  await expectAccessible(desk, 'new address confirmed');
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
