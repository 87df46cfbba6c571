import { type Call, ok, problem, session } from '@test/fake-api';
import { openUsers as open, unconfirmed, user, userList } from '@test/open-users';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const rows = () => ok(userList([user()]));
const partner = { ...session, can: ['devices.view' as const, 'users.view' as const] };

const queryOf = (call: Call | undefined) => Object.fromEntries(call?.url.searchParams ?? []);
/** Buttons, whose texts are elements of their own, and texts. */
const headers = () =>
  screen
    .getAllByRole('columnheader')
    .flatMap((header) => [...header.querySelectorAll('button, span')])
    .filter((part) => !part.parentElement?.closest('button'));

test('the request follows the URL, and the footer shows the range', async () => {
  const { api } = open('/users?page=2&order_by=lastname&order=asc&confirmed=false&role=OEM%3A%3AAdmin', () =>
    ok(userList([user()], { total: 26, currentPageNumber: 2 })),
  );
  expect(await screen.findByText('Users 26 - 26 of 26')).toBeVisible();
  expect(queryOf(api.calls.find((call) => call.url.pathname === '/api/users'))).toEqual({
    page: '2',
    pageSize: '25',
    order: 'asc',
    orderBy: 'lastname',
    confirmed: 'false',
    role: 'OEM::Admin',
  });
  expect(screen.getByRole('button', { name: 'Remove filter Confirmed No' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Remove filter Role Admin' })).toBeVisible();
});

test('invalid values in the URL are omitted', async () => {
  const { api } = open('/users?page=x&page_size=7&order_by=confirmed&confirmed=maybe', rows);
  await screen.findByText('Users 1 - 1 of 1');
  expect(queryOf(api.calls.find((call) => call.url.pathname === '/api/users'))).toEqual({
    page: '1',
    pageSize: '25',
    order: 'desc',
    orderBy: 'created_at',
  });
});

test('the columns are in the specified order', async () => {
  open('/users', rows);
  await screen.findByText('Users 1 - 1 of 1');
  const names = ['First', 'Last', 'Email', 'Company', 'Business Role', 'Phone', 'CSP Name', 'Role', 'Confirmed'];
  const shown = headers().map((part) => part.textContent);
  expect(shown.filter((text) => names.includes(text ?? ''))).toEqual(names);
});

test.each([
  ['First', 'firstname'],
  ['Last', 'lastname'],
  ['Company', 'company'],
  ['Business Role', 'businessrole'],
])('the header %s sorts only by %s, although another field shares its column', async (label, orderBy) => {
  const { api, router } = open('/users', rows);
  await screen.findByText('Users 1 - 1 of 1');
  const button = () => screen.getByRole('button', { name: label });
  for (const [order, ariaSort, href] of [
    ['asc', 'ascending', `/users?order=asc&order_by=${orderBy}`],
    ['desc', 'descending', `/users?order_by=${orderBy}`],
  ] as const) {
    await userEvent.click(button());
    await waitFor(() => expect(router.state.location.href).toBe(href));
    await waitFor(() => expect(queryOf(api.calls.at(-1))).toMatchObject({ order, orderBy }));
    expect(button().closest('th')).toHaveAttribute('aria-sort', ariaSort);
    const sorted = screen.getAllByRole('columnheader').filter((header) => header.hasAttribute('aria-sort'));
    expect(sorted).toEqual([button().closest('th')]);
  }
});

test('CSP column, CSP filter and Invite are shown only with the permission', async () => {
  open('/users?csp=AirCo', rows, { who: partner });
  await screen.findByText('Users 1 - 1 of 1');
  expect(screen.queryByRole('columnheader', { name: /CSP Name/ })).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: /^Remove filter/ })).not.toBeInTheDocument();
  expect(screen.queryByRole('link', { name: 'Invite User' })).not.toBeInTheDocument();
});

test('a row leads to the person, and Invite User to the form', async () => {
  open('/users', () => ok(userList([user(), user({ id: 'unnamedAuthor', firstname: '', lastname: '' })])));
  expect(await screen.findByRole('link', { name: 'Jo Moss' })).toHaveAttribute('href', `/users/${user().id}`);
  expect(screen.getByRole('link', { name: 'jo@example.com' })).toHaveAttribute('href', '/users/unnamedAuthor');
  expect(screen.getByRole('link', { name: 'Invite User' })).toHaveAttribute('href', '/users/invite');
});

test('last sign-in, two-step sign-in and a disabled user are shown', async () => {
  const other = { id: 'other', disabled: true, twoStep: true, lastSignInAt: '2026-11-20T10:00:00Z' };
  open('/users', () => ok(userList([user(), user(other)])));
  await screen.findByText('Users 1 - 2 of 2');
  const [, first, second] = screen.getAllByRole('row');
  expect(within(first as HTMLElement).getByText('Never').nextElementSibling).toHaveTextContent('Off');
  expect(within(second as HTMLElement).getByTitle(/2026|20/).nextElementSibling).toHaveTextContent('On');
  expect(screen.getAllByText('Disabled')).toHaveLength(1);
});

test('the confirmation status is shown, and users who may not resend see No', async () => {
  const observed = { ...unconfirmed, id: 'observed', can: { ...user().can, edit: false, resend: false } };
  open('/users', () => ok(userList([user(), unconfirmed, observed])));
  await screen.findByText('Users 1 - 3 of 3');
  const last = screen.getAllByRole('row').map((row) => within(row).queryAllByRole('cell').at(-1)?.textContent);
  expect(last).toEqual([undefined, 'Yes', 'Resend', 'No']);
});

test('Resend announces the mail', async () => {
  const { api } = open('/users', () => ok(userList([unconfirmed])));
  await userEvent.click(await screen.findByRole('button', { name: 'Resend confirmation email to jo@example.com' }));
  expect(await screen.findByText('Successfully resent confirmation email')).toBeVisible();
  expect(api.count(`POST /api/users/${unconfirmed.id}/confirmation`)).toBe(1);
});

test('a refused mail shows that the user is confirmed, and the list is read again', async () => {
  let confirmed = false;
  open('/users', () => ok(userList([confirmed ? user() : unconfirmed])), {
    resend: () => {
      confirmed = true;
      return problem(409, 'conflict');
    },
  });
  await userEvent.click(await screen.findByRole('button', { name: /^Resend/ }));
  expect(await screen.findByText('User already confirmed')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('button', { name: /^Resend/ })).not.toBeInTheDocument());
});

test('role, confirmation status and CSP can be chosen in the dialog', async () => {
  const { router } = open('/users?page=3', rows);
  await screen.findByText('Users 1 - 1 of 1');
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Filter users' }));
  await dialog.findByRole('button', { name: 'Apply' });
  for (const [label, option] of [
    ['Role', 'CSP Technician'],
    ['Confirmed', 'No'],
    ['Two-step sign-in', 'Off'],
    ['Disabled', 'Yes'],
    ['CSP Name', 'AirCo'],
  ] as const) {
    await userEvent.click(await dialog.findByRole('combobox', { name: label }));
    const options = await screen.findAllByRole('option', { name: option, hidden: true });
    await userEvent.click(options.at(-1) as HTMLElement);
  }
  await userEvent.type(dialog.getByLabelText('Business Role'), 'porter');
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(router.state.location.href).toBe(
      '/users?businessrole=porter&csp=AirCo&role=OEM%3A%3AProlitecCommercial%3A%3ACspTech&confirmed=false&twostep=false&disabled=true',
    ),
  );
});

test('a failed list shows an error and can be retried', async () => {
  let fail = true;
  open('/users', () => (fail ? problem(500, 'internal', { detail: 'Out of order' }) : rows()));
  expect(await screen.findByText('Failed to load users')).toBeVisible();
  fail = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByRole('link', { name: 'Jo Moss' })).toBeVisible();
});

test('lists that are empty, old or still being filled show a notice', async () => {
  open('/users?email=zzz', ({ url }) =>
    ok(url.searchParams.has('email') ? userList([]) : userList([user()], { asOf: '2026-01-01T00:00:00Z' })),
  );
  expect(await screen.findByText('No user matches the filters.')).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Clear filters' }));
  expect(await screen.findByText(/^Data as of /)).toBeVisible();
});

test('a list that is being filled for the first time shows a notice', async () => {
  open('/users', () => ok(userList([], { asOf: null })));
  expect(await screen.findByText(/^This list is being loaded for the first time/)).toBeVisible();
});

test('users without users.view cannot open the page', async () => {
  const { router } = open('/users', rows, { who: { ...session, can: ['devices.view'] } });
  await waitFor(() => expect(router.state.location.pathname).toBe('/users'));
});
