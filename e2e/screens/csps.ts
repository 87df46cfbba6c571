import type { Locator, Page } from '@playwright/test';

/** /csps */
export class CspListScreen {
  readonly heading: Locator;
  readonly table: Locator;
  readonly headers: Locator;
  readonly rows: Locator;
  /** The list on a phone. */
  readonly cards: Locator;
  readonly nameFilter: Locator;
  readonly add: Locator;
  readonly pages: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'CSPs', level: 1 });
    this.table = page.getByRole('table', { name: 'CSPs' });
    this.headers = this.table.getByRole('columnheader');
    this.rows = this.table.locator('tbody').getByRole('row');
    this.cards = page.getByRole('main').locator('ul[aria-busy]');
    this.nameFilter = page.getByRole('searchbox', { name: 'Filter by name' });
    this.add = page.getByRole('link', { name: 'Add CSP' });
    this.pages = page.getByLabel('Pages');
  }

  /** The row of the CSP with exactly this name. */
  row(name: string): Locator {
    return this.rows.filter({ has: this.page.getByRole('cell', { name, exact: true }) });
  }

  devices(name: string): Locator {
    return this.page.getByRole('link', { name: new RegExp(`devices? of ${escaped(name)}$`) });
  }

  users(name: string): Locator {
    return this.page.getByRole('link', { name: new RegExp(`users? of ${escaped(name)}$`) });
  }

  edit(name: string): Locator {
    return this.page.getByRole('link', { name: `Edit ${name}`, exact: true });
  }

  /** 'CSPs 1 - 3 of 3' */
  footer(text: string): Locator {
    return this.page.getByText(text, { exact: true });
  }

  async choosePageSize(size: string): Promise<void> {
    await this.page.getByRole('combobox', { name: 'Rows per page' }).click();
    await this.page.getByRole('option', { name: size, exact: true }).click();
  }
}

/** /csps/add and /csps/{id} */
export class CspFormScreen {
  readonly heading: Locator;
  readonly fields: Locator;
  readonly name: Locator;
  readonly save: Locator;
  readonly cancel: Locator;
  readonly remove: Locator;
  /** The dialog that confirms the removal. */
  readonly dialog: Locator;
  readonly confirm: Locator;
  /** Replaces a CSP that could not be loaded. */
  readonly failed: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { level: 1 });
    this.fields = page.locator('form').getByRole('textbox');
    this.name = page.getByRole('textbox', { name: 'Name', exact: true });
    this.save = page.getByRole('button', { name: 'Save' });
    this.cancel = page.getByRole('link', { name: 'Cancel' });
    this.remove = page.getByRole('button', { name: 'Remove CSP' });
    this.dialog = page.getByRole('dialog', { name: 'Remove CSP' });
    this.confirm = this.dialog.getByRole('button', { name: 'Remove CSP' });
    this.failed = page.getByRole('heading', { name: 'Failed to load CSP' });
  }
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
