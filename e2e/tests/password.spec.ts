import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { tabTo } from '../harness/keyboard';
import { ForgottenPasswordScreen, NewPasswordScreen, SignUpScreen } from '../screens/auth';
import { DeviceListScreen } from '../screens/device-list';
import { SIGN_IN_FAILED, SignInScreen } from '../screens/sign-in';
import { DESK, PHONE } from '../screens/sizes';

// Changes passwords and counts messages.
test.use({ world: 'accounts' });

const NEW = 'Other-Horse-2';
const SET = /^\/api\/password\/set$/;

/** The token in a link. */
const tokenOf = (link: string) => new URL(link).searchParams.get('token') ?? '';

test('a forgotten password is replaced, on a phone', async ({ open, people, mailbox, guard }) => {
  guard.expect(422, SET);
  guard.expect(401, /^\/api\/session$/);
  const { email } = people.account('cspObserver');
  const page = await open(null, PHONE);
  await page.goto('/signin');
  await page.getByRole('link', { name: 'Forgot password?' }).tap();
  const forgotten = new ForgottenPasswordScreen(page);
  await expectAccessible(page, 'forgotten password');
  await forgotten.ask(email);
  await expect(forgotten.sent).toBeFocused();
  await expect(page.getByRole('main').getByRole('link', { name: 'Sign in' }).first()).toHaveAttribute(
    'href',
    '/signin',
  );
  await expectAccessible(page, 'reset token sent');
  await forgotten.setPassword.tap();
  await expect(page).toHaveURL('/password/set');
  const form = new NewPasswordScreen(page);
  await expect(form.token).toHaveValue('');

  const link = await mailbox.link(email);
  await page.goto(link);
  await expect(form.token).toHaveValue(tokenOf(link));
  await expect(page).toHaveURL('/password/set');
  await form.set('short', 'other');
  await expect(form.password).toHaveAccessibleDescription(/Must be 8 to 128 characters/);
  await expect(form.confirmation).toHaveAccessibleDescription('Does not match');
  await expectAccessible(page, 'new password with errors');
  await form.set(NEW);
  await expect(form.done).toBeFocused();
  await expectAccessible(page, 'password changed');

  await page.getByRole('link', { name: 'Sign in' }).first().tap();
  const signIn = new SignInScreen(page);
  await signIn.signIn(people.account('cspObserver'));
  await expect(signIn.email).toHaveAccessibleDescription(SIGN_IN_FAILED);
  await signIn.signIn({ email, password: NEW });
  await expect(new DeviceListScreen(page).heading).toBeVisible();

  // The token is valid only once.
  await page.goto(link);
  await form.set('Third-Horse-3');
  await expect(form.token).toHaveAccessibleDescription('not found');
  await expect(form.token).toBeFocused();
});

test('the notice is the same whether or not a mail is sent', async ({ open, people, system, mailbox }) => {
  const { email } = people.account('otherCspAdmin');
  const before = (await mailbox.messagesTo(email)).length;
  const page = await open(null);
  const forgotten = new ForgottenPasswordScreen(page);
  const notice = async (address: string) => {
    await page.goto('/password/reset');
    await forgotten.ask(address);
    return ((await forgotten.sent.textContent()) ?? '').replace(address, '…');
  };
  const known = await notice(email);
  expect(await notice('nobody@sillage.example')).toBe(known);
  system.cloudProxy.fail({ match: /users\/password/, status: 500 });
  expect(await notice(email)).toBe(known);
  system.cloudProxy.heal();
  system.cloudProxy.cut(/users\/password/);
  expect(await notice(email)).toBe(known);
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect(await mailbox.messagesTo(email)).toHaveLength(before + 1);
  expect(await mailbox.messagesTo('nobody@sillage.example')).toEqual([]);
});

test('the rate limit applies with and without an account', async ({ open, guard }) => {
  guard.expect(429, /^\/api\/password\/reset$/);
  const page = await open(null);
  const forgotten = new ForgottenPasswordScreen(page);
  for (let time = 0; time < 5; time += 1) {
    await page.goto('/password/reset');
    await forgotten.ask('stranger@sillage.example');
    await expect(forgotten.sent).toBeVisible();
  }
  await page.goto('/password/reset');
  await forgotten.ask('Stranger@sillage.example');
  await expect(forgotten.email).toHaveAccessibleDescription('Too many attempts. Please wait a moment.');
  await expect(forgotten.sent).toHaveCount(0);
});

test('a wrong token is a field error, by keyboard alone', async ({ open, guard }) => {
  guard.expect(422, SET);
  const page = await open(null, DESK);
  await page.goto('/signin');
  await tabTo(page, page.getByRole('link', { name: 'Forgot password?' }));
  await page.keyboard.press('Enter');
  await expect(new ForgottenPasswordScreen(page).heading).toBeVisible();
  await page.goto('/password/set?token=0123456789abcdef0123456789abcdef');
  const form = new NewPasswordScreen(page);
  await tabTo(page, form.password);
  await page.keyboard.type(NEW);
  await tabTo(page, form.confirmation);
  await page.keyboard.type(NEW);
  await page.keyboard.press('Enter');
  await expect(form.token).toHaveAccessibleDescription('not found');
  await expect(form.token).toBeFocused();
});

test('the token of a link is not in the history', async ({ open }) => {
  const page = await open(null);
  await page.goto('/signin');
  await page.goto('/password/set?token=0a1b');
  await expect(new NewPasswordScreen(page).token).toHaveValue('0a1b');
  await expect(page).toHaveURL('/password/set');
  await page.goBack();
  await expect(page).toHaveURL('/signin');
  await page.goForward();
  await expect(page).toHaveURL('/password/set');
  await expect(new NewPasswordScreen(page).token).toHaveValue('');
});

test('sign-up explains who creates accounts and links to sign-in', async ({ open }) => {
  const page = await open(null, PHONE);
  await page.goto('/signin');
  await page.getByRole('link', { name: 'Sign Up' }).tap();
  await expect(page).toHaveURL('/signup');
  const signUp = new SignUpScreen(page);
  await expect(signUp.heading).toBeVisible();
  await expect(page.getByText(/^Each CSP names an administrator/)).toBeVisible();
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await expectAccessible(page, 'sign up');
  await page.getByRole('link', { name: 'Sign in' }).tap();
  await expect(new SignInScreen(page).heading).toBeVisible();
});

test('after five failures sign-in rests, with or without an account, and a password reset helps at once', async ({
  open,
  guests,
  mailbox,
  guard,
}) => {
  guard.expect(401, /^\/api\/session$/);
  const rests = 'After five failures sign-in rests for 30 minutes. A password reset helps at once.';
  const email = 'rita@sillage.example';
  await guests.invite(email);
  await guests.confirm(await mailbox.link(email));
  const page = await open(null, PHONE);
  await page.goto('/signin');
  const form = new SignInScreen(page);
  for (const address of [email, 'nobody.rests@sillage.example']) {
    for (let tried = 1; tried <= 6; tried += 1) {
      const answer = page.waitForResponse((response) => response.request().method() === 'POST');
      await form.signIn({ email: address, password: 'Wrong-Horse-1' });
      await answer;
      await expect(form.email).toHaveAccessibleDescription(tried < 6 ? SIGN_IN_FAILED : `${SIGN_IN_FAILED} ${rests}`);
    }
  }
  await expect.poll(() => mailbox.subjectsTo(email)).toHaveLength(2);
  expect((await mailbox.subjectsTo(email))[0]).toBe('Sign-in to your account rests');
  expect(await mailbox.messagesTo('nobody.rests@sillage.example')).toEqual([]);
  await page.getByRole('link', { name: 'Forgot password?' }).tap();
  await new ForgottenPasswordScreen(page).ask(email);
  const link = new URL(await mailbox.link(email, 3));
  await page.goto(`${link.pathname}${link.search}`);
  const reset = new NewPasswordScreen(page);
  await reset.set('Battery-Staple-2');
  await expect(reset.done).toBeVisible();
  await page.goto('/signin');
  await form.signIn({ email, password: 'Battery-Staple-2' });
  await expect(new DeviceListScreen(page).heading).toBeVisible();
});
