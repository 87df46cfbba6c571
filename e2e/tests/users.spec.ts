import type { APIRequestContext, Page } from '@playwright/test';
import type { Invitation, User } from '../../web/src/api/schema.gen';
import { expectAccessible } from '../harness/axe';
import { expect, test } from '../harness/fixtures';
import { GUEST_PASSWORD } from '../harness/guests';
import { tabTo } from '../harness/keyboard';
import type { Person } from '../harness/people';
import { DeviceListScreen } from '../screens/device-list';
import { alert, Shell } from '../screens/shell';
import { SIGN_IN_FAILED, SignInScreen } from '../screens/sign-in';
import { DESK, PHONE } from '../screens/sizes';
import { UserFormScreen } from '../screens/user-form';
import { UserListScreen } from '../screens/user-list';

// Adds and removes people.
test.use({ world: 'people' });

const TECH = 'OEM::ProlitecCommercial::CspTech';
const COMPLETE = {
  role: TECH,
  csp: 'Meridian Air',
  firstname: 'Jo',
  lastname: 'Moss',
  city: 'Oslo',
  country: 'Norway',
  password: 'Correct-Horse-1',
} as const;
const REQUIRED = ['email', 'role', 'csp', 'firstname', 'lastname', 'city', 'country'] as const;
const GONE = '/users/00000000-0000-4000-8000-000000000000';

let made = 0;
function newEmail(): string {
  made += 1;
  return `jo.${made}@example.com`;
}

async function invited(api: APIRequestContext, changes: Invitation = {}): Promise<User> {
  const answer = await api.post('/api/users', { data: { ...COMPLETE, email: newEmail(), ...changes } });
  expect(answer.status(), await answer.text()).toBe(201);
  return read(api, (await answer.json()).id);
}

async function read(api: APIRequestContext, id: string): Promise<User> {
  return (await api.get(`/api/users/${id}`)).json();
}

async function openInvite(page: Page): Promise<UserFormScreen> {
  await page.goto('/users/invite');
  const form = new UserFormScreen(page);
  await expect(form.invite).toBeVisible();
  return form;
}

async function openEdit(page: Page, id: string): Promise<UserFormScreen> {
  await page.goto(`/users/${id}`);
  const form = new UserFormScreen(page);
  await expect(form.save).toBeVisible();
  return form;
}

test('the invite form has the specified fields and its notice', async ({ open }) => {
  const page = await open('admin');
  const form = await openInvite(page);
  await expect(form.heading).toHaveText('Invite User');
  await expect(form.hour).toBeVisible();
  const labels = await form.inputs.evaluateAll((inputs) =>
    inputs.map((input) => (input as HTMLInputElement).labels?.[0]?.textContent?.replace(' *', '')),
  );
  expect(labels).toEqual([
    'Email',
    'Role',
    'CSP',
    'First Name',
    'Last Name',
    'Company',
    'Business Role',
    'Phone',
    'City',
    'State/Province',
    'Country',
    'Password',
    'Confirm Password',
  ]);
  await expect(form.passwords).toHaveCount(2);
});

test('an administrator can assign every role, and a CSP with a CSP role', async ({ open }) => {
  const form = await openInvite(await open('admin'));
  await expect(form.select('Role')).toHaveValue('CSP Technician');
  expect(await form.options('Role')).toEqual(['Admin', 'Observer', 'CSP Admin', 'CSP Observer', 'CSP Technician']);
  expect(await form.options('CSP')).toContain('Meridian Air');
  for (const role of ['Admin', 'Observer']) {
    await form.choose('Role', 'CSP Admin');
    await form.choose('CSP', 'Meridian Air');
    await form.choose('Role', role);
    await expect(form.select('CSP')).toBeDisabled();
    await expect(form.select('CSP')).toHaveValue('');
  }
});

test('an invited person gets the mail and is stored as entered', async ({ open, people, mailbox }) => {
  const page = await open('admin');
  const calls: string[] = [];
  page.on('request', (request) => calls.push(`${request.method()} ${new URL(request.url()).pathname}`));
  const form = await openInvite(page);
  const email = newEmail();
  await form.fillIn(`  ${email} `);
  await form.choose('CSP', 'Meridian Air');
  const answer = page.waitForResponse((response) => response.request().method() === 'POST');
  await form.invite.click();
  await expect(alert(page, 'Successfully invited user')).toBeVisible();
  await expect(page).toHaveURL('/users');
  const { id } = await (await answer).json();
  await expect.poll(() => calls).toContain(`POST /api/users/${id}`);
  expect(await mailbox.link(email)).toContain('/account/confirm?token=');
  const { password: _, ...said } = COMPLETE;
  expect(await read(await people.api('admin'), id)).toMatchObject({
    ...said,
    email,
    confirmed: false,
    company: '',
    businessRole: '',
    phone: '',
    state: '',
  });
});

test('missing and invalid values are field errors, and nothing is sent', async ({ open }) => {
  const page = await open('admin');
  const form = await openInvite(page);
  await form.invite.click();
  for (const label of ['Email', 'First Name', 'Last Name', 'City'] as const)
    await expect(form.text(label)).toHaveAccessibleDescription('Required');
  for (const label of ['CSP', 'Country'] as const)
    await expect(form.select(label)).toHaveAccessibleDescription('Required');
  for (const label of ['Company', 'Business Role', 'Phone'] as const)
    await expect(form.text(label)).toHaveAccessibleDescription('');
  await expect(form.text('Email')).toBeFocused();
  await expectAccessible(page, 'form of a user with errors');
  await form.fillIn(newEmail());
  await form.password('Password').fill('short');
  await form.invite.click();
  await expect(form.password('Password')).toHaveAccessibleDescription(/Must be 8 to 128 characters/);
  await expect(form.password('Confirm Password')).toHaveAccessibleDescription('Does not match');
  await expect(form.hour).toBeVisible();
});

for (const field of REQUIRED) {
  test(`without ${field} the server refuses to invite and to change`, async ({ people }) => {
    const api = await people.api('admin');
    const { id } = await invited(api);
    const data = { ...COMPLETE, email: newEmail(), [field]: '  ' };
    const answers = [await api.post('/api/users', { data })];
    // The existing user keeps the email address.
    if (field !== 'email') answers.push(await api.put(`/api/users/${id}`, { data }));
    for (const answer of answers) {
      expect(answer.status()).toBe(422);
      expect((await answer.json()).errors).toEqual({ [field]: ['Required'] });
    }
  });
}

test('a taken email is a field error', async ({ open, people, guard }) => {
  guard.expect(422, /^\/api\/users$/);
  const page = await open('cspAdmin');
  const form = await openInvite(page);
  await form.fillIn(people.account('admin').email);
  await form.invite.click();
  await expect(form.text('Email')).toHaveAccessibleDescription('has already been taken');
  await expect(form.text('Email')).toBeFocused();
  await expect(form.hour).toBeVisible();
});

test('an administrator of a CSP can invite only for the own CSP', async ({ open, people }) => {
  const page = await open('cspAdmin');
  const form = await openInvite(page);
  expect(await form.options('Role')).toEqual(['CSP Admin', 'CSP Observer', 'CSP Technician']);
  await expect(form.select('CSP')).toHaveCount(0);
  const api = await people.api('cspAdmin');
  expect((await invited(api, { csp: 'Northlight Scents' })).csp).toBe('Meridian Air');
  for (const role of ['OEM::Admin', 'OEM::Observer']) {
    const data = { ...COMPLETE, email: newEmail(), role };
    expect((await api.post('/api/users', { data })).status(), role).toBe(403);
  }
});

test('a person can be changed except for the email', async ({ open, people }) => {
  const api = await people.api('cspAdmin');
  const { id, email } = await invited(api);
  const page = await open('cspAdmin');
  const form = await openEdit(page, id);
  await expect(form.heading).toHaveText('Edit User: Jo Moss');
  await expect(form.text('Email')).toHaveValue(email);
  await expect(form.text('Email')).not.toBeEditable();
  for (const label of ['Password', 'Confirm Password'] as const) await expect(form.password(label)).toHaveCount(0);
  await expect(form.passwords).toHaveCount(0);
  await form.text('Last Name').fill('Miller');
  await form.text('Business Role').fill('Owner');
  await form.save.click();
  await expect(alert(page, 'Successfully updated user')).toBeVisible();
  await expect(page).toHaveURL('/users');
  expect(await read(api, id)).toMatchObject({ email, lastname: 'Miller', businessRole: 'Owner', role: TECH });
});

test('choosing a role without a CSP removes the CSP', async ({ open, people }) => {
  const api = await people.api('admin');
  const { id } = await invited(api);
  const page = await open('admin');
  const form = await openEdit(page, id);
  await form.choose('Role', 'Observer');
  await form.save.click();
  await expect(alert(page, 'Successfully updated user')).toBeVisible();
  expect(await read(api, id)).toMatchObject({ role: 'OEM::Observer', csp: null });
});

test('an interrupted role change continues with the next save', async ({ open, people, system, guard }) => {
  guard.expect(502, /^\/api\/users\//);
  const api = await people.api('cspAdmin');
  const { id } = await invited(api);
  const page = await open('cspAdmin');
  const form = await openEdit(page, id);
  const heal = system.cloudProxy.fail({ match: /^PUT .*\/assign_role/, status: 500 });
  await form.choose('Role', 'CSP Observer');
  await form.save.click();
  await expect(alert(page, 'Failed to save user')).toBeVisible();
  expect(await read(api, id)).toMatchObject({ role: null, csp: 'Meridian Air' });
  heal();
  await form.save.click();
  await expect(alert(page, 'Successfully updated user')).toBeVisible();
  expect(await read(api, id)).toMatchObject({ roleName: 'CSP Observer', csp: 'Meridian Air' });
});

for (const person of ['admin', 'cspAdmin'] as const) {
  test(`the own record cannot be edited or removed: ${person}`, async ({ open, people }) => {
    const api = await people.api(person);
    const { id } = (await (await api.get('/api/session')).json()).user;
    const form = await openEdit(await open(person), id);
    for (const input of await form.inputs.all()) expect(await input.isEditable()).toBe(false);
    await expect(form.save).toBeDisabled();
    await expect(form.remove).toHaveCount(0);
    expect((await api.put(`/api/users/${id}`, { data: COMPLETE })).status()).toBe(403);
    expect((await api.delete(`/api/users/${id}`)).status()).toBe(403);
  });
}

for (const person of ['observer', 'cspObserver'] as const) {
  test(`an observer sees the form but cannot change it: ${person}`, async ({ open, people }) => {
    const { id } = await invited(await people.api('admin'));
    const form = await openEdit(await open(person), id);
    await expect(form.select('Role')).toHaveValue('CSP Technician');
    for (const input of await form.inputs.all()) expect(await input.isEditable()).toBe(false);
    await expect(form.save).toBeDisabled();
    await expect(form.remove).toHaveCount(0);
    const api = await people.api(person);
    expect((await api.post('/api/users', { data: { ...COMPLETE, email: newEmail() } })).status()).toBe(403);
    expect((await api.put(`/api/users/${id}`, { data: COMPLETE })).status()).toBe(403);
    expect((await api.delete(`/api/users/${id}`)).status()).toBe(403);
  });
}

test('a missing person or one of another CSP cannot be loaded', async ({ open, people, guard }) => {
  guard.expect(404, /^\/api\/users\//);
  const { id } = await invited(await people.api('admin'), { csp: 'Northlight Scents' });
  const page = await open('cspAdmin');
  for (const address of [`/users/${id}`, GONE]) {
    await page.goto(address);
    await expect(new UserFormScreen(page).failed).toBeVisible();
  }
  await expectAccessible(page, 'user not found');
});

test('a removed person no longer exists', async ({ open, people }) => {
  const api = await people.api('admin');
  const { id } = await invited(api);
  const page = await open('admin');
  const form = await openEdit(page, id);
  await form.remove.click();
  const dialog = form.dialog('Remove User');
  await expect(dialog.getByText('This action cannot be undone.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(dialog).toBeHidden();
  await expect(form.remove).toBeFocused();
  await form.remove.click();
  await dialog.getByRole('button', { name: 'Remove User' }).click();
  await expect(alert(page, 'Successfully removed user')).toBeVisible();
  await expect(page).toHaveURL('/users');
  expect((await api.get(`/api/users/${id}`)).status()).toBe(404);
});

test('an administrator of a CSP can disable, enable and remove a user of the own CSP', async ({
  open,
  people,
  guests,
  mailbox,
  guard,
}) => {
  guard.expect(401, /^\/api\//);
  const { id, email } = await guests.invite(newEmail(), { csp: 'Meridian Air' });
  await guests.confirm(await mailbox.link(email));
  const guest = await open(null);
  await guest.goto('/signin');
  const signIn = new SignInScreen(guest);
  await signIn.signIn({ email, password: GUEST_PASSWORD });
  await expect(new DeviceListScreen(guest).heading).toBeVisible();
  const page = await open('cspAdmin');
  await page.goto(`/users?email=${email}`);
  const list = new UserListScreen(page);
  await expect(list.row(email)).not.toContainText('Never');
  await list.row(email).click();
  await expect(page).toHaveURL(`/users/${id}`);
  const form = new UserFormScreen(page);
  await form.disable.click();
  await form.dialog('Disable User').getByRole('button', { name: 'Disable User' }).click();
  await expect(alert(page, 'Successfully disabled user')).toBeVisible();
  await expect(signIn.email).toBeVisible();
  await guest.goto('/signin');
  await signIn.signIn({ email, password: GUEST_PASSWORD });
  await expect(signIn.email).toHaveAccessibleDescription(
    `${SIGN_IN_FAILED} This account is disabled. An administrator can enable it.`,
  );
  await page.goto(`/users?email=${email}`);
  await expect(list.row(email)).toContainText('Disabled');
  await list.row(email).click();
  await form.enable.click();
  await form.dialog('Enable User').getByRole('button', { name: 'Enable User' }).click();
  await expect(alert(page, 'Successfully enabled user')).toBeVisible();
  await signIn.signIn({ email, password: GUEST_PASSWORD });
  await expect(new DeviceListScreen(guest).heading).toBeVisible();
  await form.remove.click();
  const dialog = form.dialog('Remove User');
  await expect(dialog.getByText('This action cannot be undone.')).toBeVisible();
  await dialog.getByRole('button', { name: 'Remove User' }).click();
  await expect(alert(page, 'Successfully removed user')).toBeVisible();
  await expect(page).toHaveURL(/\/users(\?|$)/);
  await page.goto(`/users?email=${email}`);
  await expect(page.getByText('No user matches the filters.')).toBeVisible();
  await expect(list.row(email)).toHaveCount(0);
  for (const person of ['cspAdmin', 'admin'] as const) {
    expect((await (await people.api(person)).get(`/api/users/${id}`)).status(), person).toBe(404);
  }
});

test('a failed removal keeps the person', async ({ open, people, system, guard }) => {
  guard.expect(502, /^\/api\/users\//);
  const api = await people.api('admin');
  const { id } = await invited(api);
  const page = await open('admin');
  const form = await openEdit(page, id);
  system.cloudProxy.fail({ match: /^DELETE /, status: 500 });
  await form.remove.click();
  await form.dialog('Remove User').getByRole('button', { name: 'Remove User' }).click();
  await expect(alert(page, 'Failed to remove user')).toBeVisible();
  expect((await api.get(`/api/users/${id}`)).status()).toBe(200);
});

test('only an OEM administrator can send password reset mails', async ({ open, people, mailbox, system, guard }) => {
  guard.expect(502, /^\/api\/users\//);
  const { id, email } = await invited(await people.api('admin'));
  for (const person of ['observer', 'cspAdmin', 'cspObserver'] as Person[]) {
    const form = await openEdit(await open(person), id);
    await expect(form.resetPassword).toHaveCount(0);
    expect((await (await people.api(person)).post(`/api/users/${id}/password-reset`)).status()).toBe(403);
  }
  const page = await open('admin');
  const form = await openEdit(page, id);
  const heal = system.cloudProxy.fail({ match: /^POST .*users\/password/, status: 500 });
  await form.resetPassword.click();
  const dialog = form.dialog('Reset Password');
  await expect(dialog.getByText(`Send a password reset email to ${email}?`)).toBeVisible();
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(alert(page, 'Failed to sent password reset email')).toBeVisible();
  heal();
  await dialog.getByRole('button', { name: 'Send' }).click();
  await expect(alert(page, 'Successfully sent password reset email')).toBeVisible();
  await expect(dialog).toBeHidden();
  // The second mail, after the invitation.
  expect(await mailbox.link(email, 2)).toContain('/password/set?token=');
});

test('a reload keeps the draft except for the password', async ({ open }) => {
  const page = await open('admin');
  const form = await openInvite(page);
  await form.text('First Name').fill('Half');
  await form.password('Password').fill('Correct-Horse-1');
  await page.reload();
  await expect(form.restored).toBeVisible();
  await expect(form.text('First Name')).toHaveValue('Half');
  await expect(form.password('Password')).toHaveValue('');
  await form.cancel.click();
  await expect(form.dialog('Leave without saving?')).toBeVisible();
});

test('a person can be invited by keyboard', async ({ open }) => {
  const page = await open('cspAdmin', DESK);
  const form = await openInvite(page);
  await form.fillIn(newEmail());
  await tabTo(page, form.invite);
  await page.keyboard.press('Enter');
  await expect(alert(page, 'Successfully invited user')).toBeVisible();
});

for (const colorScheme of ['light', 'dark'] as const) {
  for (const size of [PHONE, DESK]) {
    test(`the forms of people are accessible at ${size.viewport.width} px, ${colorScheme}`, async ({
      open,
      people,
    }) => {
      const { id } = await invited(await people.api('admin'));
      const page = await open('admin', { ...size, colorScheme });
      const form = await openInvite(page);
      await expectAccessible(page, 'invite form');
      await openEdit(page, id);
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      await expectAccessible(page, 'edit form');
      expect(await page.evaluate(() => document.documentElement.scrollWidth <= document.body.clientWidth)).toBe(true);
      for (const [button, name] of [
        [form.resetPassword, 'Reset Password'],
        [form.disable, 'Disable User'],
        [form.remove, 'Remove User'],
      ] as const) {
        await button.click();
        await expect(form.dialog(name)).toBeVisible();
        await expectAccessible(page, name);
        await page.keyboard.press('Escape');
        await expect(form.dialog(name)).toBeHidden();
        await expect(button).toBeFocused();
      }
    });
  }
}

test('users without permission to invite cannot open the page', async ({ open }) => {
  for (const person of ['observer', 'cspObserver', 'cspTech', 'noRole'] as Person[]) {
    const page = await open(person);
    await page.goto('/users/invite');
    await expect(new Shell(page).refused).toBeVisible();
  }
});
