import { Authenticator } from '../harness/authenticator';
import { expectAccessibleInBothSchemes } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { DeviceListScreen } from '../screens/device-list';
import { SecondFactorScreen } from '../screens/second-factor';
import { Shell } from '../screens/shell';
import { SignInScreen } from '../screens/sign-in';
import { DESK, PHONE } from '../screens/sizes';
import { UserListScreen } from '../screens/user-list';

// The rules apply to everybody with the role.
test.use({ world: 'sign-in-rules' });
test.describe.configure({ mode: 'serial' });

test('people of a role that needs a second factor set one up first, and an administrator can reset it', async ({
  open,
  people,
  guard,
}) => {
  guard.expect(403, /^\/api\//);
  const admin = await open('admin', DESK);
  await admin.goto('/sign-in-rules');
  const rule = admin.getByRole('switch', { name: 'CSP Technician' });
  await expect(rule).not.toBeChecked();
  await expectAccessibleInBothSchemes(admin, 'sign-in rules');
  await rule.click();
  await expectAccessibleInBothSchemes(admin, 'confirmation of a sign-in rule');
  await admin.getByRole('dialog').getByRole('button', { name: 'Require' }).click();
  await expect(admin.getByText('Successfully saved sign-in rules')).toBeVisible();
  await expect(rule).toBeChecked();

  const { email, password } = people.account('cspTech');
  const page = await open(null, PHONE);
  const [form, factor, list] = [new SignInScreen(page), new SecondFactorScreen(page), new DeviceListScreen(page)];
  await page.goto('/devices?page_size=10');
  await form.signIn({ email, password });
  await expect(page.getByRole('heading', { name: 'Set up two-step sign-in' })).toBeVisible();
  await expectAccessibleInBothSchemes(page, 'required set-up of a second factor');
  for (const path of ['/account', '/help', '/devices']) {
    await page.goto(path);
    await expect(page).toHaveURL('/two-step-setup');
  }
  expect((await page.request.get('/api/devices')).status()).toBe(403);
  await factor.password.fill(password);
  await factor.continue.click();
  const app = new Authenticator((await page.locator('form code').textContent()) ?? '');
  await factor.code.fill(app.code());
  await factor.turnOn.click();
  await factor.keptCodes.click();
  await expect(list.heading).toBeVisible();
  await expect(new Shell(page).account).toBeVisible();

  await admin.goto(`/users?email=${encodeURIComponent(email)}`);
  await new UserListScreen(admin).row(email).click();
  await admin.getByRole('button', { name: 'Reset Two-Step Sign-In' }).click();
  await expectAccessibleInBothSchemes(admin, 'reset of a second factor');
  await admin.getByRole('dialog').getByRole('button', { name: 'Reset' }).click();
  await expect(admin.getByText('Successfully reset two-step sign-in')).toBeVisible();
  await page.goto('/devices');
  await expect(page).toHaveURL('/two-step-setup');
  await page.getByRole('link', { name: 'Sign Out' }).click();
  await expect(form.heading).toBeVisible();

  await admin.goto('/sign-in-rules');
  await rule.click();
  await expect(rule).not.toBeChecked();
  await expect(admin.getByText('Successfully saved sign-in rules')).toBeVisible();
  await form.signIn({ email, password });
  await expect(new Shell(page).account).toBeVisible();
});
