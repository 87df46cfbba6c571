import type { Locator, Page } from '@playwright/test';

/** /fleet */
export class FleetScreen {
  readonly heading: Locator;
  readonly filter: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'Fleet', level: 1 });
    this.filter = page.getByRole('button', { name: 'Filter', exact: true });
  }

  /** A chart with its table. */
  block(title: string): Locator {
    return this.page.getByRole('region', { name: title, exact: true }).first();
  }

  get month(): Locator {
    return this.page.getByRole('combobox', { name: 'Month' });
  }

  period(name: string): Locator {
    return this.page.getByRole('radiogroup', { name: 'Period' }).getByText(name);
  }
}
