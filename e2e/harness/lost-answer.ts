import type { Page } from '@playwright/test';

/** The next write to `path` reaches the console, but its answer is lost. Returns the keys of all of them. */
export async function loseAnswer(page: Page, path: string, method: 'POST' | 'PUT' = 'POST'): Promise<string[]> {
  const keys: string[] = [];
  await page.route(path, async (route) => {
    const request = route.request();
    if (request.method() !== method) return await route.continue();
    keys.push((await request.headerValue('idempotency-key')) ?? '');
    if (keys.length > 1) return await route.continue();
    await route.fetch();
    await route.abort('connectionreset');
  });
  return keys;
}

/** Loads the page again, although it has unsaved changes. */
export async function reload(page: Page): Promise<void> {
  page.once('dialog', (dialog) => dialog.accept());
  await page.reload();
}
