import type { Page } from '@playwright/test';

interface Router {
  navigate: (to: { href: string }) => Promise<void>;
}

/**
 * Opens an address in the loaded application, like a link: guards and loaders run, but scripts are not loaded again. On a blank
 * page, loads the address. Resolves when the new route is visible.
 */
export async function navigate(page: Page, address: string): Promise<void> {
  if (page.url() === 'about:blank') {
    await page.goto(address);
    return;
  }
  await page.evaluate(async (href) => {
    await (self as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__.navigate({ href });
    // The route is loaded; the first frame renders it, the second one paints it.
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  }, address);
}
