import type { Page } from '@playwright/test';

interface Router {
  navigate: (to: { href: string }) => Promise<void>;
}

/**
 * Opens an address of the console inside the application that the page has loaded, as a link does: guards and loaders run, the
 * scripts are not loaded again. On a blank page, it loads the address. Resolves when the new route is on screen.
 */
export async function navigate(page: Page, address: string): Promise<void> {
  if (page.url() === 'about:blank') {
    await page.goto(address);
    return;
  }
  await page.evaluate(async (href) => {
    await (self as unknown as { __TSR_ROUTER__: Router }).__TSR_ROUTER__.navigate({ href });
    // The route is loaded; one frame to render it, one to paint it.
    await new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)));
  }, address);
}
