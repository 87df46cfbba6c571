import type { Locator, Page } from '@playwright/test';

/** The page shown instead of one that cannot be opened without a connection. */
export class NoConnectionScreen {
  readonly heading: Locator;
  readonly retry: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { name: 'No connection' });
    this.retry = page.getByRole('button', { name: 'Retry' });
  }
}
