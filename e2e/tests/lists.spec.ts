import type { Page } from '@playwright/test';
import { EVENTS } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import type { People } from '../harness/people';
import { Shell } from '../screens/shell';

/** The three lists with their parameters for the shared tests. */
const LISTS = [
  {
    title: 'Devices',
    path: '/devices',
    failed: 'Failed to load devices',
    start: '5',
    search: 'Search devices',
    /** A view of the second page, with a filter that matches more than one page. */
    view: { page: '2', page_size: '25', order: 'asc', order_by: 'serialnumber', q: 'ac000w' },
    sorted: 'Serial Number',
    filter: ['q', 'ac000w'],
  },
  {
    title: 'Users',
    path: '/users',
    failed: 'Failed to load users',
    start: '25',
    search: 'Filter by email',
    view: { page: '2', page_size: '5', order: 'asc', order_by: 'email', email: 'sillage' },
    sorted: 'Email',
    filter: ['email', 'sillage'],
  },
  {
    title: 'CSPs',
    path: '/csps',
    failed: 'Failed to load CSPs',
    start: '25',
    search: 'Filter by name',
    view: { page: '2', page_size: '5', order: 'desc', name: 'list' },
    sorted: 'Name',
    filter: ['name', 'list'],
  },
] as const;

// Adds CSPs, so that their list has a second page.
test.use({ world: 'lists' });

async function addCsps(people: People): Promise<void> {
  const api = await people.api('admin');
  for (const number of [1, 2, 3, 4, 5, 6, 7]) await api.post('/api/csps', { data: { name: `List ${number}` } });
}

const tableOf = (page: Page, title: string) => page.getByRole('table', { name: title });
const rowsOf = (page: Page, title: string) => tableOf(page, title).locator('tbody').getByRole('row');

async function texts(page: Page, title: string): Promise<string[]> {
  await expect(tableOf(page, title)).toHaveAttribute('aria-busy', 'false');
  return rowsOf(page, title).allInnerTexts();
}

for (const list of LISTS) {
  const call = new RegExp(`^GET /api${list.path}\\?`);

  test(`the address of ${list.path} contains its view`, async ({ open, people }) => {
    await addCsps(people);
    const page = await open('admin');
    const address = `${list.path}?${new URLSearchParams(list.view)}`;
    await page.goto(address);
    expect((await texts(page, list.title)).length).toBeGreaterThan(0);
    await expect(
      page.getByText(new RegExp(`^${list.title} ${Number(list.view.page_size) + 1} - \\d+ of \\d+$`)),
    ).toBeVisible();
    await expect(page.getByRole('combobox', { name: 'Rows per page' })).toHaveValue(list.view.page_size);
    await expect(page.getByRole('searchbox', { name: list.search })).toHaveValue(list.filter[1]);
    const header = tableOf(page, list.title).getByRole('columnheader', { name: list.sorted });
    await expect(header).toHaveAttribute('aria-sort', list.view.order === 'asc' ? 'ascending' : 'descending');
    const kept = new URL(page.url()).searchParams;
    for (const [name, value] of Object.entries(list.view)) expect(kept.get(name), name).toBe(value);

    const another = await open('admin');
    await another.goto(page.url());
    // The rows follow the devices: forecasts arrive one after the other.
    await expect(async () => expect(await texts(another, list.title)).toEqual(await texts(page, list.title))).toPass();
  });

  test(`${list.path} remembers its filters separately from other lists`, async ({ open }) => {
    const page = await open('admin');
    const navigation = new Shell(page).navigation;
    const active = page.getByRole('group', { name: 'Active filters' });
    const [name, value] = list.filter;
    await page.goto(list.path);
    await page.getByRole('searchbox', { name: list.search }).fill(value);
    await expect(page).toHaveURL(`${list.path}?${name}=${value}`);
    for (const other of LISTS.filter((other) => other !== list)) {
      await navigation.getByRole('link', { name: other.title }).click();
      await expect(page).toHaveURL(other.path);
      await texts(page, other.title);
      await expect(active).toHaveCount(0);
    }
    await navigation.getByRole('link', { name: list.title }).click();
    await expect(page).toHaveURL(`${list.path}?${name}=${value}`);
    await expect(active).toContainText(value);
    await page.goto(list.path);
    await expect(page).toHaveURL(`${list.path}?${name}=${value}`);
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect(page).toHaveURL(list.path);
    await page.reload();
    await expect(page).toHaveURL(list.path);
  });

  test(`${list.path} shows that it is loading, then rows or an empty list`, async ({ open, frontProxy }) => {
    const page = await open('admin', { through: frontProxy });
    const loading = page.getByRole('status', { name: 'Loading' });
    const release = frontProxy.hold(call);
    await page.goto(list.path);
    await expect(loading).toHaveAttribute('aria-busy', 'true');
    await expect(tableOf(page, list.title)).toHaveCount(0);
    release();
    await expect(rowsOf(page, list.title).first()).toBeVisible();
    await expect(loading).toHaveCount(0);
    await page.getByRole('searchbox', { name: list.search }).fill('nothing is called so');
    await expect(page.getByText('No results')).toBeVisible();
    await expect(page.getByText(`${list.title} 0 - 0 of 0`)).toBeVisible();
  });

  test(`${list.path} that cannot be read shows the reason and can be retried`, async ({ open, frontProxy, guard }) => {
    guard.expect(500, new RegExp(`^/api${list.path}$`));
    const page = await open('admin', { through: frontProxy });
    const mend = frontProxy.fail({ match: call, status: 500 });
    frontProxy.hold(EVENTS);
    await page.goto(list.path);
    await expect(page.getByRole('alert')).toContainText(list.failed);
    await expect(tableOf(page, list.title)).toHaveCount(0);
    mend();
    await page.getByRole('button', { name: 'Retry' }).click();
    await expect(rowsOf(page, list.title).first()).toBeVisible();
    await expect(page.getByRole('alert')).toHaveCount(0);
  });

  test(`${list.path} starts with its page size and offers three`, async ({ open }) => {
    const page = await open('admin');
    await page.goto(list.path);
    const sizes = page.getByRole('combobox', { name: 'Rows per page' });
    await expect(sizes).toHaveValue(list.start);
    await sizes.click();
    await expect(page.getByRole('option')).toHaveText(['5', '25', '50']);
  });
}

test('a system configuration is chosen by its label', async ({ open }) => {
  const page = await open('admin');
  await page.goto('/devices/add');
  await page.getByRole('combobox', { name: 'System Configuration' }).click();
  await expect(page.getByRole('option')).toHaveText([
    'AQ200 Series 500 mL',
    'AQ300 Series 500 mL',
    'AQ500 Series 500 mL',
    'AQ800 Series 1250 mL',
    'AQ800 Series 2500 mL',
    'AQ1200 Series 1250 mL',
    'AQ1200 Series 2500 mL',
  ]);
});
