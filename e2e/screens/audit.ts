import type { Locator, Page } from '@playwright/test';

/** /audit */
export class AuditScreen {
  readonly heading: Locator;
  readonly table: Locator;
  /** The list on a phone. */
  readonly cards: Locator;
  /** The rows of the table, without its header. */
  readonly rows: Locator;
  readonly filter: Locator;
  readonly dialog: Locator;
  readonly older: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'Audit' });
    this.table = page.getByRole('table', { name: 'Audit' });
    this.cards = page.getByRole('main').locator('ul[aria-busy]');
    this.rows = this.table.locator('tbody tr');
    this.filter = page.getByRole('button', { name: 'Filter', exact: true });
    this.dialog = page.getByRole('dialog', { name: 'Filter changes' });
    this.older = page.getByRole('button', { name: 'Show older' });
  }

  field(name: string): Locator {
    return this.dialog.getByLabel(name);
  }

  chip(label: string): Locator {
    return this.page.getByRole('button', { name: `Remove filter ${label}` });
  }
}

/** The block with changes on a device page. */
export function changesBlock(page: Page): Locator {
  return page.getByRole('region', { name: 'Changes', exact: true });
}
