import type { Page } from '@playwright/test';
import { expectAccessible, expectAccessibleInBothSchemes } from '../harness/axe';
import { FaultProxy } from '../harness/fault-proxy';
import { test as base, expect } from '../harness/fixtures';
import { GUEST_PASSWORD } from '../harness/guests';
import { endRelease, release } from '../harness/release';
import { VirtualAuthenticator } from '../harness/virtual-authenticator';
import { expectReloadOpens, expectRetryOpens, failToLoad, PASSKEY_PARTS, type Part } from '../screens/late-parts';
import { SecondFactorScreen } from '../screens/second-factor';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { DESK, PHONE } from '../screens/sizes';

/** Browsers allow passkeys for domains only, so the pages are opened at localhost. */
const test = base.extend<{ localhost: FaultProxy }>({
  localhost: async ({ system }, use) => {
    const proxy = await FaultProxy.start(system.console, 'localhost');
    await use(proxy);
    await proxy.stop();
  },
});

// The rules apply to everybody with the role.
test.use({ world: 'passkeys' });
test.describe.configure({ mode: 'serial' });

const CANCELLED = 'The passkey was cancelled, or it took too long. Try again.';

function screens(page: Page) {
  return { form: new SignInScreen(page), factor: new SecondFactorScreen(page), shell: new Shell(page) };
}

/** Checks that a part opens after its code was replaced by a release, and after it failed to load. Opens the part. */
async function expectOpensAgain(page: Page, part: Part, place: { open: () => Promise<void> }): Promise<void> {
  await release(page);
  await expectReloadOpens(page, [part], place);
  const address = page.url();
  await endRelease(page);
  await failToLoad(page, part);
  await page.goto(address);
  await expectRetryOpens(page, part, place);
}

for (const size of [PHONE, DESK]) {
  const { width } = size.viewport;

  test(`a passkey is set up, used at sign-in, replaced by a recovery code and removed at ${width} px`, async ({
    localhost,
    open,
    guests,
    mailbox,
  }) => {
    const email = `passkey.${width}@sillage.example`;
    await guests.invite(email);
    await guests.confirm(await mailbox.link(email));
    const account = { email, password: GUEST_PASSWORD };
    const page = await open(null, { ...size, through: localhost });
    const { form, factor, shell } = screens(page);
    const authenticator = await VirtualAuthenticator.connect(page);
    await page.goto('/account?tab=second-factor');
    await form.signIn(account);
    await expect(factor.off).toBeVisible();

    await factor.addPasskey.click();
    await expectAccessibleInBothSchemes(page, 'a new passkey');
    await authenticator.recognise(false);
    await factor.createPasskey('Work laptop', account.password);
    await expect(page.getByText(CANCELLED)).toBeVisible();
    await authenticator.recognise(true);
    await factor.addPasskey.click();
    await expect(factor.recoveryCodes).toHaveCount(10);
    await factor.keptCodes.click();
    await expect(page.getByText('Two-step sign-in is on.')).toBeVisible();
    await expect(factor.passkeys).toContainText(['Work laptop']);
    await expect(factor.passkeys).toContainText(['Never used']);
    await expectAccessibleInBothSchemes(page, 'list of passkeys');

    await page.goto('/signout');
    await form.signIn(account);
    await expect(form.usePasskey).toBeVisible();
    await expectAccessibleInBothSchemes(page, 'second step with a passkey');
    await authenticator.recognise(false);
    await form.usePasskey.click();
    await expect(page.getByText(CANCELLED)).toBeVisible();
    await authenticator.recognise(true);
    await form.usePasskey.click();
    await expect(shell.account).toBeVisible();
    await page.goto('/account?tab=second-factor');
    await expect(factor.passkeys).toContainText([/Last used/]);

    await factor.renew.click();
    await factor.dialog.getByLabel('Current password').and(page.locator('input')).fill(account.password);
    await expectAccessible(page, 'proof by a passkey');
    await factor.dialog.getByRole('button', { name: 'Use a passkey' }).click();
    await expect(factor.recoveryCodes).toHaveCount(10);
    const codes = await factor.recoveryCodes.allTextContents();
    await factor.keptCodes.click();

    await authenticator.forget();
    await page.goto('/signout');
    await form.signIn(account);
    await expect(form.usePasskey).toBeVisible();
    await form.enterCode(codes[0] ?? '');
    await expect(shell.account).toBeVisible();

    await page.goto('/account?tab=second-factor');
    await page.getByRole('button', { name: 'Rename passkey Work laptop' }).click();
    await expectAccessible(page, 'another name of a passkey');
    await factor.rename('Old laptop');
    await expect(factor.passkeys).toContainText(['Old laptop']);
    await page.getByRole('button', { name: 'Remove passkey Old laptop' }).click();
    await expect(factor.dialog).toBeVisible();
    await expectAccessible(page, 'removal of a passkey');
    await factor.prove(account.password, codes[1] ?? '');
    await expect(factor.off).toBeVisible();
    await page.goto('/signout');
    await form.signIn(account);
    await expect(shell.account).toBeVisible();
  });
}

test('a passkey is enough for a role that needs a second factor', async ({ localhost, open, people, guard }) => {
  guard.expect(403, /^\/api\//);
  guard.expect(404, /^\/assets\//);
  guard.expect('broken', /^\/assets\//);
  const admin = await open('admin', DESK);
  await admin.goto('/sign-in-rules');
  const rule = admin.getByRole('switch', { name: 'CSP Technician' });
  await rule.click();
  await admin.getByRole('dialog').getByRole('button', { name: 'Require' }).click();
  await expect(admin.getByText('Successfully saved sign-in rules')).toBeVisible();
  await expect(rule).toBeChecked();

  const account = people.account('cspTech');
  const page = await open(null, { ...PHONE, through: localhost });
  const { form, factor, shell } = screens(page);
  await VirtualAuthenticator.connect(page);
  await page.goto('/devices');
  await form.signIn(account);
  await expect(page).toHaveURL(/\/two-step-setup$/);
  const setUp = { open: () => page.getByRole('button', { name: 'Use a passkey instead' }).click() };
  await expectOpensAgain(page, PASSKEY_PARTS.PasskeySetup, setUp);
  await expectAccessibleInBothSchemes(page, 'required set-up of a passkey');
  await factor.createPasskey('Phone', account.password);
  await expect(factor.recoveryCodes).toHaveCount(10);
  await factor.keptCodes.click();
  await expect(shell.account).toBeVisible();

  await page.goto('/signout');
  await expect(form.email).toBeVisible();
  await expectOpensAgain(page, PASSKEY_PARTS.PasskeyStep, { open: () => form.signIn(account) });
  await form.usePasskey.click();
  await expect(shell.account).toBeVisible();
});

test('a page at an IP address offers no passkeys', async ({ open }) => {
  const page = await open('admin', { ownSession: true });
  const { factor } = screens(page);
  await page.goto('/account?tab=second-factor');
  await expect(factor.off).toBeVisible();
  await expect(factor.addPasskey).toBeHidden();
});
