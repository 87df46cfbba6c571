import { Authenticator } from '../harness/authenticator';
import { expectAccessible, expectAccessibleInBothSchemes } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { GUEST_PASSWORD } from '../harness/guests';
import { SecondFactorScreen } from '../screens/second-factor';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { DESK, PHONE } from '../screens/sizes';

for (const size of [PHONE, DESK]) {
  const { width } = size.viewport;

  test(`an app is set up, asked for at sign-in and removed at ${width} px`, async ({
    open,
    guests,
    mailbox,
    guard,
  }) => {
    guard.expect(422, /^\/api\/session\/second-factor$/);
    const email = `two-step.${width}@sillage.example`;
    await guests.invite(email);
    await guests.confirm(await mailbox.link(email));
    const account = { email, password: GUEST_PASSWORD };
    const page = await open(null, size);
    const [form, factor, shell] = [new SignInScreen(page), new SecondFactorScreen(page), new Shell(page)];
    await page.goto('/account?tab=second-factor');
    await form.signIn(account);
    await expect(factor.off).toBeVisible();
    await expectAccessible(page, 'two-step sign-in is off');

    const app = new Authenticator(await factor.begin(account.password));
    await expect(factor.qrCode).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'set-up of an app');
    await factor.code.fill(app.code());
    await factor.turnOn.click();
    await expect(factor.recoveryCodes).toHaveCount(10);
    await expectAccessibleInBothSchemes(page, 'recovery codes');
    const codes = await factor.recoveryCodes.allTextContents();
    await factor.keptCodes.click();
    await expect(factor.on).toBeVisible();
    await expect(page.getByText('10 recovery codes are left.')).toBeVisible();

    await page.goto('/signout');
    await form.signIn(account);
    await expect(page.getByRole('heading', { name: 'Enter your code' })).toBeVisible();
    await expect(form.code).toBeFocused();
    await expectAccessibleInBothSchemes(page, 'second step of the sign-in');
    await form.enterCode(codes[0]?.replace(/^..../, '0000') ?? '');
    await expect(form.code).toHaveAccessibleDescription(/is not the current code/);
    // The code of now was used at the set-up.
    await form.enterCode(app.code(1));
    await expect(shell.account).toBeVisible();

    await page.goto('/signout');
    await form.signIn(account);
    await form.enterCode(codes[1] ?? '');
    await expect(shell.account).toBeVisible();
    await page.goto('/account?tab=second-factor');
    await expect(page.getByText('9 recovery codes are left.')).toBeVisible();

    await factor.renew.click();
    await factor.prove(account.password, codes[2] ?? '');
    await expect(factor.recoveryCodes).toHaveCount(10);
    const renewed = await factor.recoveryCodes.allTextContents();
    await factor.keptCodes.click();
    await factor.turnOff.click();
    await expect(factor.dialog).toBeVisible();
    await expectAccessible(page, 'removal of the app');
    await factor.prove(account.password, renewed[0] ?? '');
    await expect(factor.off).toBeVisible();

    await page.goto('/signout');
    await form.signIn(account);
    await expect(shell.account).toBeVisible();
  });
}

test('the second step can be left, and nobody is signed in by it', async ({ open, guests, mailbox }) => {
  const email = 'two-step.back@sillage.example';
  await guests.invite(email);
  await guests.confirm(await mailbox.link(email));
  const account = { email, password: GUEST_PASSWORD };
  const page = await open(null);
  const [form, factor] = [new SignInScreen(page), new SecondFactorScreen(page)];
  await page.goto('/account?tab=second-factor');
  await form.signIn(account);
  const app = new Authenticator(await factor.begin(account.password));
  await factor.code.fill(app.code());
  await factor.turnOn.click();
  await factor.keptCodes.click();
  await page.goto('/signout');
  await form.signIn(account);
  await expect(form.code).toBeVisible();
  await page.getByRole('button', { name: 'Use another account' }).click();
  await expect(form.heading).toBeVisible();
  await expect(form.email).toHaveValue('');
  await expect.poll(() => page.context().cookies()).toEqual([]);
  await page.goto('/devices');
  await expect(form.heading).toBeVisible();
});
