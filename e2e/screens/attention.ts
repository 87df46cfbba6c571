import { expect, type Locator, type Page } from '@playwright/test';

/** /attention */
export class AttentionScreen {
  readonly heading: Locator;
  /** The link to the thresholds, which the page always has. */
  readonly thresholds: Locator;
  readonly actions: Locator;
  readonly filter: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'Attention', level: 1 });
    this.thresholds = page.getByRole('link', { name: 'Thresholds' });
    this.actions = page.getByRole('group', { name: 'Actions for the selected items' });
    this.filter = page.getByRole('button', { name: 'Filter', exact: true });
  }

  /** The row, or on a phone the card, of an item of a device. */
  item(kind: string, dsn: string): Locator {
    const rows = this.page.getByRole('main').locator('tbody tr, ul[aria-busy] > li');
    return rows.filter({ hasText: kind }).filter({ hasText: dsn });
  }

  /** Selects an item. Waits first until no update of it is running, because its end deselects the item. */
  async select(kind: string, dsn: string): Promise<void> {
    const box = this.page.getByRole('checkbox', { name: `Select ${kind}, ${dsn}` });
    await expect(box).not.toBeChecked();
    await box.check();
  }

  action(name: string): Locator {
    return this.actions.getByRole('button', { name, exact: true });
  }

  dialog(name: string): Locator {
    return this.page.getByRole('dialog', { name });
  }
}
