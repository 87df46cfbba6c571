import type { Locator, Page } from '@playwright/test';

/** What stands in the place of a page that cannot be opened without a connection. */
export class NoConnectionScreen {
  readonly heading: Locator;
  readonly retry: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { name: 'No connection' });
    this.retry = page.getByRole('button', { name: 'Retry' });
  }
}
