import type { Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { SignInScreen } from '../screens/sign-in';

/** What a page finds of earlier pages when it opens the console. */
async function traces(page: Page): Promise<unknown> {
  await page.goto('/signin');
  await expect(new SignInScreen(page).heading).toBeVisible();
  return page.evaluate(() => ({
    local: { ...localStorage },
    session: { ...sessionStorage },
    entries: history.length,
  }));
}

test('a page that another test uses next is as empty as a new one', async ({ open, contexts }) => {
  const page = await open(null);
  const before = await traces(page);
  await page.context().addCookies([{ name: 'kept', value: '1', url: page.url() }]);
  await page.evaluate(() => {
    localStorage.setItem('kept', '1');
    sessionStorage.setItem('kept', '1');
  });
  const heard: string[] = [];
  page.on('framenavigated', () => heard.push(page.url()));
  await page.goto('/help');
  expect(heard).not.toEqual([]);
  await page.mouse.move(200, 200);
  expect(await traces(page)).not.toEqual(before);
  heard.length = 0;
  await contexts.release(() => true);

  const next = await open(null);
  expect(next).toBe(page);
  expect(next.url()).toBe('about:blank');
  expect(await next.context().cookies()).toEqual([]);
  expect(await traces(next)).toEqual(before);
  await next.evaluate(() => {
    const corner = document.createElement('div');
    corner.id = 'corner';
    corner.style.cssText = 'position: fixed; top: 0; left: 0; width: 1px; height: 1px; z-index: 9999';
    document.body.append(corner);
  });
  // The headless shell forgets the mouse with the document; another browser might not.
  const mouseIsInCorner = () => next.evaluate(() => document.querySelector('#corner:hover') !== null);
  await expect.poll(mouseIsInCorner, 'the mouse is where it is on a new page').toBe(true);
  expect(heard).toEqual([]);
});

const CHANGES: Record<string, (page: Page) => Promise<unknown>> = {
  'a stopped clock': (page) => page.clock.install(),
  'an intercepted call': (page) => page.route('/api/session', (route) => route.continue()),
  'another size': (page) => page.setViewportSize({ width: 400, height: 400 }),
  'a lost network': (page) => page.context().setOffline(true),
  'a debugger': (page) => page.context().newCDPSession(page),
  'a second page': (page) => page.context().newPage(),
};

for (const [change, make] of Object.entries(CHANGES)) {
  test(`a page with ${change} is not used again`, async ({ open, contexts }) => {
    const page = await open(null);
    await make(page);
    await contexts.release(() => true);
    expect(page.isClosed()).toBe(true);
    expect(await open(null)).not.toBe(page);
  });
}
