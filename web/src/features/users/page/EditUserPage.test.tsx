import { ok, problem, session } from '@test/fake-api';
import { auditEntry, auditPage } from '@test/fake-audit';
import { ID, person } from '@test/fake-user';
import { choose, save, selectField, textField, type } from '@test/open-device-form';
import { ADDRESS, FOLLOW_UP, openUserForm, PAGE, REMOVE, RESET, SAVE } from '@test/open-user-form';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const NONE = { edit: false, resend: false, resetPassword: false, resetSecondFactor: false };
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));
const dialog = (name: string) => screen.findByRole('dialog', { name });

test('the form shows a fixed email, its confirmation status and no password', async () => {
  openUserForm(ADDRESS);
  expect(await screen.findByRole('heading', { name: 'Edit User: Jo Moss' })).toBeVisible();
  expect(screen.getByText('Never signed in here · Two-step sign-in: off')).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Reset Two-Step Sign-In' })).toBeNull();
  expect(await textField('Email')).toHaveAttribute('readonly');
  expect(await textField('Email')).toHaveValue('jo@example.com');
  expect(await selectField('Role')).toHaveValue('CSP Technician');
  expect(await selectField('CSP')).toHaveValue('AirCo');
  expect(screen.getByText('Not confirmed')).toBeVisible();
  expect(screen.queryByLabelText(/Password/)).toBeNull();
});

test('a save is announced and leads to the list', async () => {
  const { api, router } = openUserForm(ADDRESS);
  await type('Last Name', 'Miller');
  await save();
  expect(await screen.findByText('Successfully updated user')).toBeVisible();
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'));
  const sent = api.calls.find(({ method }) => method === 'PUT');
  expect(sent?.body).toEqual({ lastname: 'Miller', seen: { lastname: 'Moss' } });
  await waitFor(() => expect(api.count(FOLLOW_UP)).toBe(1));
});

test('a failed save is announced, and the user is read again because the role may have changed', async () => {
  const { api } = openUserForm(ADDRESS, {
    [SAVE]: () => problem(502, 'cloud_failed', { errors: { role: ['The device cloud cannot be reached.'] } }),
  });
  await choose('Role', 'CSP Admin');
  const before = api.count(PAGE);
  await save();
  expect(await screen.findByText('Failed to save user')).toBeVisible();
  expect(await selectField('Role')).toHaveAccessibleDescription(/cannot be reached/);
  expect(await selectField('Role')).toHaveValue('CSP Admin');
  await waitFor(() => expect(api.count(PAGE)).toBeGreaterThan(before));
  expect(screen.getByRole('button', { name: 'Save' })).toBeEnabled();
});

test('the own record is disabled and links to the account page', async () => {
  const me = { ...session, user: { ...session.user, id: ID } };
  openUserForm(ADDRESS, { [PAGE]: () => ok(person({ can: { ...NONE, resetPassword: true } })) }, me);
  expect(await screen.findByText('This is your own record. Only somebody else can change it.')).toBeVisible();
  expect(screen.getByRole('link', { name: 'Go to My Account' })).toHaveAttribute('href', '/account');
  expect(await textField('First Name')).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Remove User' })).toBeNull();
});

test('an observer sees the form with the display name of the role', async () => {
  const observer = { ...session, roleChoices: [], can: [...session.can].filter((it) => !/add|invite|edit/.test(it)) };
  openUserForm(ADDRESS, { [PAGE]: () => ok(person({ can: NONE })) }, observer);
  expect(await screen.findByText('You can view this user but not change anything.')).toBeVisible();
  expect(await selectField('Role')).toHaveValue('CSP Technician');
  for (const field of [await selectField('Role'), await selectField('CSP'), await textField('City')]) {
    expect(field).toBeDisabled();
  }
  expect(screen.queryByRole('button', { name: /Remove User|Reset Password/ })).toBeNull();
});

test('a removal is confirmed and announced, and leads to the list', async () => {
  const { api, router } = openUserForm(ADDRESS);
  await press('Remove User');
  const confirmation = await dialog('Remove User');
  expect(within(confirmation).getByText('This action cannot be undone.')).toBeVisible();
  await userEvent.click(within(confirmation).getByRole('button', { name: 'Remove User' }));
  expect(await screen.findByText('Successfully removed user')).toBeVisible();
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'));
  expect([api.count(REMOVE), api.count(PAGE)]).toEqual([1, 1]);
});

test('a removal names the open items, and gives them to the chosen person', async () => {
  const editor = { ...session, can: [...session.can, 'attention.edit' as const] };
  const people = [
    { id: ID, name: 'Jo Doe' },
    { id: '5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c12', name: 'Tess Tester' },
  ];
  const { api } = openUserForm(
    ADDRESS,
    {
      'GET /api/attention/count': () => ok({ new: 0, high: 0, assigned: 48, snoozed: 2 }),
      'GET /api/attention/assignees': () => ok(people),
    },
    editor,
  );
  await press('Remove User');
  const confirmation = await dialog('Remove User');
  const successor = await within(confirmation).findByRole('combobox', {
    name: '50 open items are assigned to this person. New assignee:',
  });
  expect(within(confirmation).getByText('Without one, they are assigned to nobody.')).toBeVisible();
  await userEvent.click(successor);
  // The person cannot be the successor.
  expect((await screen.findAllByRole('option', { hidden: true })).map(({ textContent }) => textContent)).toEqual([
    'Tess Tester',
  ]);
  await userEvent.click(screen.getByRole('option', { name: 'Tess Tester', hidden: true }));
  await userEvent.click(within(confirmation).getByRole('button', { name: 'Remove User' }));
  expect(await screen.findByText('Successfully removed user')).toBeVisible();
  const removal = api.calls.find(({ method }) => method === 'DELETE');
  expect(removal?.url.searchParams.get('successor')).toBe(people[1]?.id);
});

test('a user is disabled with the open items named, and enabled again', async () => {
  let disabled = false;
  const change = (to: boolean) => () => {
    disabled = to;
    return new Response(null, { status: 204 });
  };
  const state = { lastSignInAt: '2026-11-20T10:00:00Z', twoStep: true };
  const { api } = openUserForm(ADDRESS, {
    [PAGE]: () => ok(person({ ...state, disabled, can: { ...NONE, edit: true, resetSecondFactor: true } })),
    [`PUT /api/users/${ID}/disabled`]: change(true),
    [`DELETE /api/users/${ID}/disabled`]: change(false),
    'GET /api/attention/count': () => ok({ new: 0, high: 0, assigned: 48, snoozed: 2 }),
  });
  expect(await screen.findByText(/^Last sign-in .*20.* · Two-step sign-in: on$/)).toBeVisible();
  expect(screen.getByRole('button', { name: 'Reset Two-Step Sign-In' })).toBeVisible();
  await press('Disable User');
  const confirmation = await dialog('Disable User');
  expect(await within(confirmation).findByText('50 open items stay assigned to this person.')).toBeVisible();
  await userEvent.click(within(confirmation).getByRole('button', { name: 'Disable User' }));
  expect(await screen.findByText('Successfully disabled user')).toBeVisible();
  expect(await screen.findByText('Disabled')).toBeVisible();
  await press('Enable User');
  await userEvent.click(within(await dialog('Enable User')).getByRole('button', { name: 'Enable User' }));
  expect(await screen.findByText('Successfully enabled user')).toBeVisible();
  await waitFor(() => expect(screen.queryByText('Disabled')).toBeNull());
  expect(api.calls.filter(({ url }) => url.pathname.endsWith('/disabled')).map(({ method }) => method)).toEqual([
    'PUT',
    'DELETE',
  ]);
});

test('Cancel removes no user, and a failed removal shows the reason', async () => {
  const { api } = openUserForm(ADDRESS, {
    [REMOVE]: () => problem(409, 'conflict', { detail: 'the last administrator stays' }),
  });
  await press('Remove User');
  await userEvent.click(within(await dialog('Remove User')).getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(api.count(REMOVE)).toBe(0);
  await press('Remove User');
  await userEvent.click(within(await dialog('Remove User')).getByRole('button', { name: 'Remove User' }));
  expect(await screen.findByText('Failed to remove user')).toBeVisible();
  expect(within(await dialog('Remove User')).getByText('the last administrator stays')).toBeVisible();
});

test('a password reset is confirmed, and its success or failure announced', async () => {
  let fails = true;
  openUserForm(ADDRESS, {
    [RESET]: () => (fails ? problem(502, 'cloud_failed') : new Response(null, { status: 204 })),
  });
  await press('Reset Password');
  const confirmation = await dialog('Reset Password');
  expect(within(confirmation).getByText('Send a password reset email to jo@example.com?')).toBeVisible();
  await userEvent.click(within(confirmation).getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('Failed to sent password reset email')).toBeVisible();
  fails = false;
  await userEvent.click(within(confirmation).getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('Successfully sent password reset email')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('a user that does not exist cannot be loaded', async () => {
  openUserForm(ADDRESS, { [PAGE]: () => problem(404, 'not_found') });
  expect(await screen.findByRole('heading', { name: 'Failed to load user' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Go to Users' })).toHaveAttribute('href', '/users');
});

test('a server error can be retried', async () => {
  openUserForm(ADDRESS, { [PAGE]: () => problem(500, 'internal', { detail: 'Something went wrong.' }) });
  expect(await screen.findByRole('heading', { name: 'Failed to load user' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Retry' })).toBeVisible();
});

test("the user's changes are shown to users who see the audit", async () => {
  const changes = [{ field: 'role', before: null, after: 'OEM::ProlitecCommercial::CspTech', saved: true }];
  const entry = auditEntry({ operation: 'invite_user', changes, target: { kind: 'user', id: ID, csp: 'AirCo' } });
  const { api } = openUserForm(ADDRESS, { 'GET /api/audit': () => ok(auditPage([entry])) });
  const block = await screen.findByRole('region', { name: 'Changes' });
  expect(await within(block).findByText('Invited user')).toBeVisible();
  expect(within(block).getByText('CSP Technician')).toBeVisible();
  expect(api.calls.find(({ url }) => url.pathname === '/api/audit')?.url.searchParams.get('target')).toBe(ID);
});
