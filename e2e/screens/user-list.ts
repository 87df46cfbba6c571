import { expect, type Locator, type Page } from '@playwright/test';

/** /users: a table on a desktop, cards on a phone. */
export class UserListScreen {
  readonly heading: Locator;
  readonly table: Locator;
  readonly rows: Locator;
  readonly cards: Locator;
  readonly emailFilter: Locator;
  readonly clearFilters: Locator;
  readonly inviteUser: Locator;
  /** Opens the filter dialog. */
  readonly filter: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'Users', level: 1 });
    this.table = page.getByRole('table', { name: 'Users' });
    this.rows = this.table.locator('tbody').getByRole('row');
    this.cards = page.getByRole('main').getByRole('listitem');
    this.emailFilter = page.getByRole('searchbox', { name: 'Filter by email' });
    this.clearFilters = page.getByRole('button', { name: 'Clear filters' });
    this.inviteUser = page.getByRole('link', { name: 'Invite User' });
    this.filter = page.getByRole('button', { name: 'Filter', exact: true });
  }

  chip(label: string): Locator {
    const chips = this.page.getByRole('group', { name: 'Active filters' });
    return chips.getByRole('button', { name: /^Remove filter / }).filter({ hasText: label });
  }

  row(email: string): Locator {
    return this.rows.filter({ has: this.page.getByText(email, { exact: true }) });
  }

  /** The cell that shows whether the address is confirmed. */
  confirmed(email: string): Locator {
    return this.row(email).getByRole('cell').last();
  }

  resend(email: string): Locator {
    return this.page.getByRole('button', { name: `Resend confirmation email to ${email}` });
  }

  sortBy(label: string): Locator {
    return this.table.getByRole('columnheader').getByRole('button', { name: label, exact: true });
  }

  /** 'Users 1 - 5 of 8' */
  footer(text: string): Locator {
    return this.page.getByText(text, { exact: true });
  }

  /** The labels of the columns; one header may contain several. */
  async labels(): Promise<string[]> {
    const texts = await this.table.getByRole('columnheader').allInnerTexts();
    return texts.flatMap((text) => text.split('\n')).filter((text) => text.trim() !== '');
  }

  /** The displayed e-mail addresses in order, once the rows match the current URL. */
  async emails(): Promise<string[]> {
    await expect(this.table).toHaveAttribute('aria-busy', 'false');
    const texts = await this.rows.allInnerTexts();
    return texts.map((text) => /\S+@\S+/.exec(text)?.[0] ?? text);
  }

  async openFilter(): Promise<Locator> {
    await this.filter.click();
    return this.page.getByRole('dialog', { name: 'Filter users' });
  }
}
