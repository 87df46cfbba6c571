import { problem, session } from '@test/fake-api';
import { choose, optionsOf, selectField, textField, type } from '@test/open-device-form';
import { FOLLOW_UP, INVITE, openUserForm } from '@test/open-user-form';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { passwordError } from '@/form/password-rule';

const NORTH_ADMIN = {
  ...session,
  role: 'OEM::ProlitecCommercial::CspAdmin',
  roleName: 'CSP Admin',
  csp: 'AirCo',
  can: ['devices.view', 'devices.add', 'users.view', 'users.invite', 'audit.view'],
  roleChoices: session.roleChoices.slice(2),
} satisfies typeof session;

const HOUR = 'Please allow up to an hour to receive invitation email.';

async function typePassword(label: string, text: string) {
  await userEvent.click(await screen.findByLabelText(label));
  await userEvent.paste(text);
}

async function fillIn() {
  await type('Email', ' new@example.com ');
  await type('First Name', 'Jo');
  await type('Last Name', 'Moss');
  await type('City', 'Oslo');
  await choose('Country', 'Norway');
  await typePassword('Password *', 'Correct-1');
  await typePassword('Confirm Password *', 'Correct-1');
}

const invite = async () => userEvent.click(await screen.findByRole('button', { name: 'Invite User' }));

test('an invited user can choose the password, and then none is asked for or sent', async () => {
  const { api } = openUserForm('/users/invite', {}, NORTH_ADMIN);
  await fillIn();
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Let them choose: send a link' }));
  expect(screen.queryByLabelText('Password *')).toBeNull();
  await invite();
  expect(await screen.findByText('Successfully invited user')).toBeVisible();
  const sent = api.calls.find(({ method, url }) => method === 'POST' && url.pathname === '/api/users')?.body;
  expect(sent).toMatchObject({ email: ' new@example.com ', ownPassword: true });
  expect(sent).not.toHaveProperty('password');
});

test('the fields are in the specified order, and required fields are marked', async () => {
  openUserForm('/users/invite');
  await textField('Email');
  const fields = [...document.querySelectorAll<HTMLInputElement>('form input:not([type=hidden], [type=checkbox])')];
  expect(fields.map(({ labels, required }) => [labels?.[0]?.textContent, required])).toEqual([
    ['Email *', true],
    ['Role *', true],
    ['CSP *', true],
    ['First Name *', true],
    ['Last Name *', true],
    ['Company', false],
    ['Business Role', false],
    ['Phone', false],
    ['City *', true],
    ['State/Province', false],
    ['Country *', true],
    ['Password *', true],
    ['Confirm Password *', true],
  ]);
  expect(document.title).toBe('Sillage - Invite User');
  expect(screen.getByText(HOUR)).toBeVisible();
});

test('an administrator chooses among five roles, and the CSP only for a role that is bound to one', async () => {
  openUserForm('/users/invite');
  expect(await selectField('Role')).toHaveValue('CSP Technician');
  expect(await optionsOf('Role')).toEqual(['Admin', 'Observer', 'CSP Admin', 'CSP Observer', 'CSP Technician']);
  await choose('CSP', 'AirCo');
  await choose('Role', 'Observer');
  expect(await selectField('CSP')).toBeDisabled();
  expect(await selectField('CSP')).toHaveValue('');
  await choose('Role', 'CSP Admin');
  expect(await selectField('CSP')).toBeEnabled();
});

test("a CSP's administrator chooses among its roles and sees no CSP field", async () => {
  const { api } = openUserForm('/users/invite', {}, NORTH_ADMIN);
  expect(await optionsOf('Role')).toEqual(['CSP Admin', 'CSP Observer', 'CSP Technician']);
  expect(screen.queryByRole('combobox', { name: 'CSP' })).toBeNull();
  await fillIn();
  await invite();
  await waitFor(() => expect(api.count(INVITE)).toBe(1));
});

test('an invitation is sent and announced, and leads to the list', async () => {
  const { api, router } = openUserForm('/users/invite');
  await choose('CSP', 'AirCo');
  await fillIn();
  await invite();
  expect(await screen.findByText('Successfully invited user')).toBeVisible();
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'));
  const sent = api.calls.find(({ method, url }) => method === 'POST' && url.pathname === '/api/users');
  expect(sent?.body).toEqual({
    email: ' new@example.com ',
    password: 'Correct-1',
    role: 'OEM::ProlitecCommercial::CspTech',
    csp: 'AirCo',
    firstname: 'Jo',
    lastname: 'Moss',
    company: '',
    businessRole: '',
    phone: '',
    city: 'Oslo',
    state: '',
    country: 'Norway',
  });
  await waitFor(() => expect(api.count(FOLLOW_UP)).toBe(1));
  expect(sessionStorage.getItem(`draft:${session.user.id}/users/invite`)).toBeNull();
});

test('server errors of email and password are shown at their fields, and the notice stays', async () => {
  const errors = { email: ['has already been taken'], password: ['Must be 8 to 128 characters'] };
  openUserForm('/users/invite', { [INVITE]: () => problem(422, 'invalid', { errors }) });
  await choose('CSP', 'AirCo');
  await fillIn();
  await invite();
  expect(await screen.findByText('has already been taken')).toBeVisible();
  expect(screen.getByText('Must be 8 to 128 characters')).toBeVisible();
  expect(await textField('Email')).toHaveFocus();
  expect(screen.getByText(HOUR)).toBeVisible();
});

test('a failure without a field is shown as an alert', async () => {
  openUserForm('/users/invite', {
    [INVITE]: () => problem(502, 'cloud_failed', { detail: 'The device cloud cannot be reached.' }),
  });
  await choose('CSP', 'AirCo');
  await fillIn();
  await invite();
  expect(await screen.findByText('Failed to invite user. The device cloud cannot be reached.')).toBeVisible();
});

test('the draft is kept in the tab without the password', async () => {
  openUserForm('/users/invite');
  await type('First Name', 'Jo');
  await typePassword('Password *', 'Correct-1');
  const kept = () => sessionStorage.getItem(`draft:${session.user.id}/users/invite`);
  await waitFor(() => expect(kept()).toContain('Jo'));
  expect(kept()).not.toContain('Correct-1');
});

test('different passwords are a field error', async () => {
  const { api } = openUserForm('/users/invite');
  await choose('CSP', 'AirCo');
  await fillIn();
  await typePassword('Confirm Password *', 'x');
  await invite();
  expect(await screen.findByText('Does not match')).toBeVisible();
  expect(api.count(INVITE)).toBe(0);
});

test('users without users.invite cannot open the invite page', async () => {
  const can = ['devices.view', 'users.view'] as const;
  const { router } = openUserForm('/users/invite', {}, { ...session, can: [...can] });
  expect(await screen.findByText('You do not have access to that page.')).toBeVisible();
  expect(router.state.location.pathname).toBe('/users/invite');
});

test('Generate fills in and shows a valid password, and Copy copies it to the clipboard', async () => {
  const user = userEvent.setup();
  openUserForm('/users/invite');
  const copy = await screen.findByRole('button', { name: 'Copy' });
  expect(copy).toBeDisabled();
  await user.click(screen.getByRole('button', { name: 'Generate' }));
  const password = screen.getByLabelText<HTMLInputElement>('Password *');
  expect(passwordError(password.value)).toBeUndefined();
  expect(password).toHaveAttribute('type', 'text');
  expect(screen.getByLabelText('Confirm Password *')).toHaveValue(password.value);
  await user.click(copy);
  expect(await screen.findByText('Copied the password')).toBeVisible();
  expect(await navigator.clipboard.readText()).toBe(password.value);
});

test('a refused clipboard shows an alert, which the next copy removes', async () => {
  const user = userEvent.setup();
  openUserForm('/users/invite');
  await user.click(await screen.findByRole('button', { name: 'Generate' }));
  const refusal = vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValueOnce(new DOMException('not allowed'));
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await screen.findByText(/^Failed to copy the password/)).toBeVisible();
  expect(refusal).toHaveBeenCalledOnce();
  await user.click(screen.getByRole('button', { name: 'Copy' }));
  expect(await screen.findByText('Copied the password')).toBeVisible();
  await waitFor(() => expect(screen.queryByText(/^Failed to copy the password/)).not.toBeInTheDocument());
});
