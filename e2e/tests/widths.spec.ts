import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { DeviceListScreen } from '../screens/device-list';
import { Shell } from '../screens/shell';

/** Windows of 1280, 1440 and 1920 pixels; zoom makes them narrower in CSS pixels. */
const WINDOWS = [
  [1280, 1],
  [1280, 1.25],
  [1280, 1.5],
  [1440, 1.25],
  [1440, 1.5],
  [1920, 1],
  [1920, 1.25],
  [1920, 1.5],
] as const;
const LISTS = ['/csps?page_size=50', '/users?page_size=50', '/audit', '/attention', '/jobs', '/import', '/fleet'];

const zoomed = (width: number, zoom: number) => ({
  viewport: { width: Math.floor(width / zoom), height: Math.floor(700 / zoom) },
  deviceScaleFactor: zoom,
});

/** Whether the element, with all its text, is inside the window, and nothing covers or cuts it. */
function isShownWhole(element: Locator): Promise<boolean> {
  return element.evaluate((shown) => {
    const { left, right, top, bottom } = shown.getBoundingClientRect();
    const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    const isInside = left >= 0 && right <= document.documentElement.clientWidth && top >= 0 && bottom <= innerHeight;
    const isCut = [shown, ...shown.querySelectorAll('*')].some(
      // Texts only for screen readers are a pixel wide.
      ({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth + 1,
    );
    return isInside && hit !== null && (shown.contains(hit) || hit.contains(shown)) && !isCut;
  });
}

async function expectNoSidewaysScrolling(page: Page, name: string): Promise<void> {
  const wider = await page.evaluate(() =>
    [document.documentElement, ...document.querySelectorAll('main, table, :has(> table)')]
      .filter((element) => element.scrollWidth > document.documentElement.clientWidth)
      .map((element) => element.tagName),
  );
  expect.soft(wider, name).toEqual([]);
}

for (const [width, zoom] of WINDOWS) {
  test(`level, status and size of each device are visible below a sticky head at ${width} px and ${100 * zoom} %`, async ({
    open,
  }) => {
    const page = await open('admin', zoomed(width, zoom));
    await page.goto('/devices?page_size=25');
    const list = new DeviceListScreen(page);
    await expect(list.rows.first()).toBeVisible();
    await expectNoSidewaysScrolling(page, '/devices');
    const heads = list.table.getByRole('columnheader');
    const place = async (label: string) =>
      (await heads.allInnerTexts()).findIndex((texts) => texts.split('\n').includes(label));
    const [model, status, level] = await Promise.all(['System Configuration', 'Status', 'Remaining'].map(place));
    for (const row of [list.rows.first(), list.rows.last()]) {
      await row.scrollIntoViewIfNeeded();
      for (const column of [model, status, level]) {
        const value = row
          .getByRole('cell')
          .nth(column ?? -1)
          .locator('> *')
          .first();
        expect.soft(await isShownWhole(value), await value.innerText()).toBe(true);
      }
    }
    await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
    expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(200);
    for (const column of [model, status, level]) expect(await isShownWhole(heads.nth(column ?? -1))).toBe(true);
  });
}

test('no list, table or page is wider than a zoomed window, and each head stays in view', async ({ open }) => {
  for (const [width, zoom] of WINDOWS) {
    const page = await open('admin', zoomed(width, zoom));
    for (const address of LISTS) {
      await page.goto(address);
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
      await expect(page.locator('[aria-busy=true]')).toHaveCount(0);
      const name = `${address} at ${width} px and ${100 * zoom} %`;
      await expectNoSidewaysScrolling(page, name);
      const heads = page.locator('table[data-density] thead th').filter({ hasText: /\S/ });
      if ((await heads.count()) === 0) continue;
      await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight));
      expect.soft(await isShownWhole(heads.first()), name).toBe(true);
      expect.soft(await isShownWhole(heads.last()), name).toBe(true);
    }
    await page.close();
  }
});

test('the navigation is folded where the tables need its width', async ({ open }) => {
  for (const [width, zoom] of WINDOWS) {
    const page = await open('admin', zoomed(width, zoom));
    await page.goto('/devices');
    const shell = new Shell(page);
    const isFolded = width / zoom < 1200;
    await expect(shell.openNavigation).toBeVisible({ visible: isFolded });
    await expect(shell.navigation).toBeVisible({ visible: !isFolded });
    if (!isFolded) continue;
    await shell.openNavigation.click();
    await shell.navigation.getByRole('link', { name: 'Users' }).click();
    await expect(page).toHaveURL('/users');
    await expect(shell.navigation).toBeHidden();
  }
});

test('pages with tables or charts end at the same edge in a window of 1920 px', async ({ open }) => {
  const page = await open('admin', { viewport: { width: 1920, height: 1080 } });
  for (const address of ['/devices', '/fleet', '/attention', '/csps', '/users', '/audit', '/jobs', '/import']) {
    await page.goto(address);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    const right = await page.getByRole('main').evaluate((main) => main.getBoundingClientRect().right);
    expect.soft(right, address).toBeGreaterThan(1900);
  }
});
