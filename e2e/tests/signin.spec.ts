import { expect, test } from '../harness/fixtures';
import { DeviceListScreen } from '../screens/device-list';
import { Shell } from '../screens/shell';
import { SIGN_IN_FAILED, SignInScreen } from '../screens/sign-in';

const SESSION = /^\/api\/session$/;

test('the form asks for e-mail and password', async ({ open }) => {
  const page = await open(null);
  await page.goto('/signin');
  const form = new SignInScreen(page);
  await expect(form.heading).toBeVisible();
  await expect(page).toHaveTitle(/^Sillage/);
  await expect(form.email).toHaveAttribute('autocomplete', 'username');
  await expect(form.password).toHaveAttribute('type', 'password');
  await expect(form.submit).toBeEnabled();
});

test('both fields are required, and nothing is sent without them', async ({ open, frontProxy }) => {
  const page = await open(null, { through: frontProxy });
  await page.goto('/signin');
  const form = new SignInScreen(page);
  await form.submit.click();
  await expect(page.getByText('Email is required')).toBeVisible();
  await expect(page.getByText('Password is required')).toBeVisible();
  await form.email.fill('somebody@sillage.example');
  await form.submit.click();
  await expect(page.getByText('Email is required')).toBeHidden();
  await expect(page.getByText('Password is required')).toBeVisible();
  expect(frontProxy.count(/^POST /)).toBe(0);
});

test('a failed sign-in shows the same error for every cause', async ({ open, people, guard, system, frontProxy }) => {
  for (const outcome of [401, 502, 503, 504, 'broken'] as const) guard.expect(outcome, SESSION);
  const { email, password } = people.account('endUser');
  const page = await open(null, { through: frontProxy });
  const form = new SignInScreen(page);
  for (const cause of ['wrong password', 'unknown user', 'cloud fails', 'cloud is gone', 'console is gone'] as const) {
    await test.step(cause, async () => {
      await page.goto('/signin');
      await expect(form.heading).toBeVisible();

      if (cause === 'cloud fails') system.cloudProxy.fail({ match: /sign_in/, status: 500 });
      if (cause === 'cloud is gone') system.cloudProxy.cut(/sign_in/);
      if (cause === 'console is gone') frontProxy.cut(/ \/api\//);
      await form.signIn({
        email: cause === 'unknown user' ? 'nobody@sillage.example' : email,
        password: cause === 'wrong password' ? 'Not-The-Password-1' : password,
      });

      const noAnswer = cause.endsWith('fails') || cause.endsWith('gone');
      await expect(form.email).toHaveAccessibleDescription(
        noAnswer ? `${SIGN_IN_FAILED} The server could not be reached. Nothing was sent.` : SIGN_IN_FAILED,
      );
      await expect(page.getByText(SIGN_IN_FAILED)).toHaveCount(1);
      await expect(page.getByRole('alert').filter({ hasText: SIGN_IN_FAILED })).toBeVisible();
      await expect(form.email).not.toHaveValue('');
      await expect(page).toHaveURL('/signin');
      expect(await page.context().cookies()).toEqual([]);
      system.cloudProxy.heal();
      frontProxy.heal();
    });
  }
});

test('signing in leads to the requested page, including its query', async ({ open, people }) => {
  const page = await open(null);
  await page.goto('/devices?page=2&page_size=25&order_by=dsn&order=asc');
  await expect(page).toHaveURL('/signin');
  await new SignInScreen(page).signIn(people.account('observer'));
  await expect(page).toHaveURL('/devices?page=2&page_size=25&order_by=dsn&order=asc');
  await expect(new DeviceListScreen(page).footer('Devices 26 - 50 of 60')).toBeVisible();

  // The requested page is used once: the next sign-in in this tab leads to the list.
  await new Shell(page).signOut();
  await new SignInScreen(page).signIn(people.account('observer'));
  await expect(page).toHaveURL('/devices');
});

test('a return address never leads to another host or to sign-out', async ({ open, people }) => {
  for (const hostile of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/signout',
    'javascript:alert(1)',
  ]) {
    const page = await open(null);
    await page.goto('/devices');
    await expect(page).toHaveURL('/signin');
    await page.evaluate((url) => {
      for (const key of Object.keys(sessionStorage)) sessionStorage.setItem(key, url);
    }, hostile);
    await new SignInScreen(page).signIn(people.account('observer'));
    await expect(page).toHaveURL('/devices');
    await page.close();
  }
});

test('an address that looks like another host stays on this one', async ({ open, people, system }) => {
  const page = await open(null);
  await page.goto(`${system.console}//evil.example/devices`);
  await expect(page.getByText('Page not found')).toBeVisible();
  await page.goto('/signin');
  await new SignInScreen(page).signIn(people.account('observer'));
  await expect(page).toHaveURL('/devices');
});

test('/ leads to the devices, or signed out to the sign-in form', async ({ open }) => {
  const stranger = await open(null);
  await stranger.goto('/');
  await expect(stranger).toHaveURL('/signin');
  const observer = await open('observer');
  await observer.goto('/');
  await expect(observer).toHaveURL('/devices');
});

test('after signing out the old cookie is invalid and Back shows no data', async ({ open, people, fleet }) => {
  const page = await open(null);
  await page.goto('/signin');
  await new SignInScreen(page).signIn(people.account('cspTech'));
  const list = new DeviceListScreen(page);
  await expect(list.rows).toHaveCount(5);
  const [device] = fleet.of('Meridian Air');
  await page.goto(`/devices/${device?.dsn}`);
  await expect(page.getByText(device?.serialNumber ?? '').first()).toBeVisible();

  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const stranger = await people.stranger();
  const devices = () => stranger.get('/api/devices', { headers: { cookie } });
  expect((await devices()).status()).toBe(200);

  await new Shell(page).signOut();
  await expect(page).toHaveURL('/signin');
  expect(await page.context().cookies()).toEqual([]);
  expect((await devices()).status()).toBe(401);
  const session = await stranger.get('/api/session', { headers: { cookie } });
  expect([session.status(), await session.json()]).toEqual([200, null]);

  await page.goBack();
  await expect(new SignInScreen(page).heading).toBeVisible();
  await expect(page.getByText(device?.dsn ?? '')).toHaveCount(0);
  await stranger.dispose();
});

test('a session ended in another browser ends on every open page', async ({ open, people, guard }) => {
  guard.expect(401, /^\/api\//);
  const page = await open('cspObserver', { ownSession: true });
  await page.goto('/devices?page=2');
  await expect(new Shell(page).live).toHaveText('Live');
  const cookies = await page.context().cookies();
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const stranger = await people.stranger();
  expect((await stranger.delete('/api/session', { headers: { cookie } })).status()).toBe(204);
  await stranger.dispose();

  const form = new SignInScreen(page);
  await expect(form.heading).toBeVisible();
  await form.signIn(people.account('cspObserver'));
  await expect(page).toHaveURL('/devices?page=2');
});

test('scripts cannot read the session cookie', async ({ open }) => {
  const page = await open('observer');
  await page.goto('/devices');
  await expect(new DeviceListScreen(page).heading).toBeVisible();
  expect(await page.evaluate(() => document.cookie)).toBe('');
  const [cookie] = await page.context().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, path: '/' });
  expect(['Lax', 'Strict']).toContain(cookie?.sameSite);
});

test('the sign-in page of a demo leads to its mailbox', async ({ open, request }) => {
  const page = await open(null);
  await page.goto('/signin');
  const address = await new SignInScreen(page).mailbox.getAttribute('href');
  const mailbox = await request.get(address ?? '');
  expect(mailbox.status()).toBe(200);
  // Other tests of this system may have caused messages.
  expect(await mailbox.text()).toContain('<h1>Messages</h1>');
});
