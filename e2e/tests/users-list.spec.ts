import type { User, UserList } from '../../web/src/api/schema.gen';
import { expectAccessible } from '../harness/axe';
import { EVENTS } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import { tabTo } from '../harness/keyboard';
import { columnOf, cspOf } from '../harness/people';
import { permission } from '../harness/permissions';
import { Shell } from '../screens/shell';
import { DESK, PHONE } from '../screens/sizes';
import { UserListScreen } from '../screens/user-list';

// Adds, confirms and counts people.
test.use({ world: 'users-list' });

const CALL = /^GET \/api\/users\?/;
/** The specified columns, with the last sign-in among them. */
const COLUMNS = [
  'First',
  'Last',
  'Email',
  'Company',
  'Business Role',
  'Phone',
  'CSP Name',
  'Role',
  'Last sign-in',
  'Two-step sign-in',
  'Confirmed',
];
const MERIDIAN = ['csp-admin@sillage.example', 'csp-observer@sillage.example', 'csp-tech@sillage.example'];

for (const person of ['admin', 'observer', 'cspAdmin', 'cspObserver'] as const) {
  test(`the list has the people, columns and buttons of its reader: ${person}`, async ({ open, people }) => {
    const allows = (line: string) => permission('button', line).verdict(columnOf(person)) !== 'deny';
    const page = await open(person);
    await page.goto('/users?order_by=email&order=asc');
    const list = new UserListScreen(page);
    await expect(list.row(people.account(person).email)).toBeVisible();
    const seesCsp = allows('users list: CSP Name column');
    expect(await list.labels()).toEqual(COLUMNS.filter((label) => label !== 'CSP Name' || seesCsp));
    await expect(list.inviteUser).toHaveCount(allows('users list: Invite User') ? 1 : 0);

    const shown = await list.emails();
    for (const email of MERIDIAN) expect(shown).toContain(email);
    const others = [people.account('otherCspAdmin').email, people.account('admin').email];
    for (const email of others) expect(shown.includes(email), email).toBe(cspOf(person) === null);
    expect(shown).not.toContain('console-service@sillage.example');

    await (await list.openFilter()).waitFor();
    const cspFilter = page.getByRole('dialog').getByRole('combobox', { name: 'CSP Name' });
    await expect(cspFilter).toHaveCount(allows('users list: CSP filter') ? 1 : 0);
  });
}

test('a person without access to people is refused', async ({ open }) => {
  for (const person of ['cspTech', 'noRole', 'endUser'] as const) {
    const page = await open(person);
    await page.goto('/users');
    await expect(new Shell(page).refused, person).toBeVisible();
  }
});

test('a row names the person and links to their page', async ({ open, people }) => {
  const { email } = people.account('cspTech');
  const page = await open('observer');
  await page.goto(`/users?email=${email}`);
  const list = new UserListScreen(page);
  await expect(list.rows).toHaveCount(1);
  for (const text of ['Tessa Brandt', email, 'Meridian Air', 'CSP Technician', 'Yes']) {
    await expect(list.row(email)).toContainText(text);
  }
  const api = await people.api('observer');
  const found: UserList = await (await api.get('/api/users', { params: { email } })).json();
  await list.row(email).click();
  await expect(page).toHaveURL(`/users/${found.users[0]?.id}`);
});

test('pages, sizes, orders and filters are in the URL and are remembered for this list', async ({ open }) => {
  const page = await open('admin');
  await page.goto('/users?page_size=5&order_by=email&order=asc');
  const list = new UserListScreen(page);
  await expect(list.rows).toHaveCount(5);
  const first = await list.emails();
  await page.getByRole('button', { name: 'Next page' }).click();
  await expect(page).toHaveURL('/users?page=2&page_size=5&order=asc&order_by=email');
  for (const email of await list.emails()) expect(first).not.toContain(email);

  await list.sortBy('Last').click();
  await expect(page).toHaveURL('/users?page_size=5&order=asc&order_by=lastname');
  await page.getByRole('combobox', { name: 'Rows per page' }).click();
  await expect(page.getByRole('option')).toHaveText(['5', '25', '50']);
  await page.getByRole('option', { name: '25' }).click();
  // The default page size is not part of the address.
  await expect(page).toHaveURL('/users?order=asc&order_by=lastname');

  await list.emailFilter.fill('CSP-');
  await expect(list.chip('Email')).toBeVisible();
  await expect(list.footer('Users 1 - 4 of 4')).toBeVisible();
  await page.goto('/devices');
  await expect(page.getByRole('button', { name: /^Remove filter/ })).toHaveCount(0);
  await page.goto('/users');
  await expect(page).toHaveURL('/users?email=CSP-');
  await list.clearFilters.click();
  await expect(page).toHaveURL('/users');
});

test('a link to the people of a CSP shows them', async ({ open, people }) => {
  const page = await open('observer');
  await page.goto('/users?csp=Northlight%20Scents');
  const list = new UserListScreen(page);
  await expect(list.chip('CSP Name')).toContainText('Northlight Scents');
  await expect(list.rows).toHaveCount(1);
  await expect(list.row(people.account('otherCspAdmin').email)).toBeVisible();
});

test('the keyboard is enough to filter by role', async ({ open, people }) => {
  const page = await open('admin');
  await page.goto('/users');
  const list = new UserListScreen(page);
  await expect(list.table).toBeVisible();
  await tabTo(page, list.filter);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Filter users' });
  await tabTo(page, dialog.getByRole('combobox', { name: 'Role', exact: true }));
  for (const key of ['ArrowDown', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
  await tabTo(page, dialog.getByRole('button', { name: 'Apply' }));
  await page.keyboard.press('Enter');
  await expect(list.chip('Role')).toBeVisible();
  await expect(page).toHaveURL(/role=OEM%3A%3A/);
  await expect(list.rows).toHaveCount(1);
  expect([people.account('admin').email, people.account('observer').email]).toContain((await list.emails())[0]);
});

test('the confirmation mail can be sent again until the address is confirmed', async ({
  open,
  people,
  guests,
  mailbox,
  guard,
}) => {
  guard.expect(409, /\/confirmation$/);
  const email = 'gunnar@meridian.example';
  const guest: User = await guests.invite(email);
  expect(guest.confirmed).toBe(false);

  const observing = await open('cspObserver');
  await observing.goto('/users');
  await expect(new UserListScreen(observing).confirmed(email)).toHaveText('No');

  const page = await open('cspAdmin');
  await page.goto('/users');
  const list = new UserListScreen(page);
  await expect(list.confirmed(people.account('cspTech').email)).toHaveText('Yes');
  await list.resend(email).click();
  await expect(page.getByText('Successfully resent confirmation email')).toBeVisible();
  // The second mail, after the invitation.
  const link = await mailbox.link(email, 2);

  await guests.confirm(link);
  await list.resend(email).click();
  await expect(page.getByText('User already confirmed')).toBeVisible();
  await expect(list.confirmed(email)).toHaveText('Yes');
  expect(await mailbox.messagesTo(email)).toHaveLength(2);
});

test('the page shows that the list is loading, and a failure can be retried', async ({ open, frontProxy, guard }) => {
  guard.expect(503, /^\/api\/users$/);
  const page = await open('admin', { through: frontProxy });
  const list = new UserListScreen(page);
  const release = frontProxy.hold(CALL);
  await page.goto('/users');
  await expect(page.getByRole('status', { name: 'Loading' })).toHaveAttribute('aria-busy', 'true');
  release();
  await expect(list.rows.first()).toBeVisible();

  const mend = frontProxy.fail({ match: CALL, status: 503 });
  frontProxy.hold(EVENTS);
  await page.goto('/users?page_size=50');
  await expect(page.getByRole('alert')).toContainText('Failed to load users');
  mend();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(list.rows.first()).toBeVisible();
});

for (const size of [PHONE, DESK]) {
  test(`an unconfirmed person is found and gets the mail again: ${size.viewport.width} px`, async ({
    open,
    guests,
  }) => {
    const email = `guest${size.viewport.width}@meridian.example`;
    await guests.invite(email);
    const page = await open('cspAdmin', size);
    await page.goto('/users?confirmed=false');
    const list = new UserListScreen(page);
    await expect(list.resend(email)).toBeVisible();
    if (size === PHONE) await expect(list.table).toHaveCount(0);
    await expectAccessible(page, 'list');
    await (await list.openFilter()).waitFor();
    await expectAccessible(page, 'filters');
    await page.keyboard.press('Escape');
    await list.resend(email).click();
    await expect(page.getByText('Successfully resent confirmation email')).toBeVisible();
    await expectAccessible(page, 'alert');
  });
}
