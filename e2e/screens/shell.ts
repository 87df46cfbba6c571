import { expect, type Locator, type Page } from '@playwright/test';

/** The layout around every page of a signed-in user. */
export class Shell {
  readonly navigation: Locator;
  readonly openNavigation: Locator;
  readonly live: Locator;
  readonly account: Locator;
  readonly shortcuts: Locator;
  /** In place of a page that the role may not open. */
  readonly refused: Locator;
  private readonly shortcutsItem: Locator;
  private readonly signOutItem: Locator;

  constructor(page: Page) {
    this.navigation = page.getByRole('navigation', { name: 'Main' });
    this.openNavigation = page.getByRole('button', { name: 'Open navigation' });
    this.live = page.getByRole('banner').getByRole('status');
    this.account = page.getByRole('button', { name: /^Account of / });
    this.refused = page.getByRole('main').getByRole('heading', { name: 'You do not have access to that page.' });
    this.shortcuts = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    this.shortcutsItem = page.getByRole('button', { name: 'Keyboard shortcuts' });
    this.signOutItem = page
      .getByRole('dialog', { name: /^Account of / })
      .getByRole('link', { name: 'Sign Out', exact: true });
  }

  async openAccount(): Promise<void> {
    await this.account.click();
    await expect(this.signOutItem).toBeVisible();
  }

  /** Opens the dialog and waits until its switch has the focus. */
  async openShortcuts(): Promise<void> {
    await this.openAccount();
    await this.shortcutsItem.click();
    await expect(this.shortcuts.getByRole('switch')).toBeFocused();
  }

  async signOut(): Promise<void> {
    await this.openAccount();
    await this.signOutItem.click();
  }
}

/** The alert with this text. */
export const alert = (page: Page, text: string | RegExp) => page.getByRole('alert').filter({ hasText: text });
