import type { Locator, Page } from '@playwright/test';

/** /help */
export class HelpScreen {
  readonly heading: Locator;
  readonly contents: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'Help', level: 1 });
    this.contents = page.getByRole('navigation', { name: 'Contents' });
  }

  section(title: string): Locator {
    return this.page.getByRole('region', { name: title, exact: true });
  }
}
