import type { Locator, Page } from '@playwright/test';

/** /account */
export class AccountScreen {
  readonly heading: Locator;
  readonly signOut: Locator;
  /** A field of the visible tab. */
  readonly field: (name: string) => Locator;
  readonly choice: (name: 'Country' | 'State/Province') => Locator;
  readonly save: Locator;
  readonly sessions: Locator;
  readonly endOthers: Locator;
  readonly timeFormats: Locator;
  readonly tokens: Locator;
  /** The token that was just created. */
  readonly newToken: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'My Account' });
    this.signOut = page.getByRole('link', { name: 'Sign Out', exact: true });
    this.field = (name) => page.getByRole('textbox', { name, exact: true });
    this.choice = (name) => page.getByRole('combobox', { name, exact: true });
    this.save = page.getByRole('button', { name: 'Save' });
    this.sessions = page.getByRole('tabpanel', { name: 'Sessions' }).getByRole('listitem');
    this.endOthers = page.getByRole('button', { name: 'End all other sessions' });
    this.tokens = page.getByRole('tabpanel', { name: 'Access Tokens' }).getByRole('listitem');
    this.newToken = page.getByRole('textbox', { name: 'Access token', exact: true });
    this.timeFormats = page.getByRole('radiogroup', { name: 'Time format' });
  }

  tab(
    name:
      | 'Personal Information'
      | 'Set Password'
      | 'Time Format'
      | 'CSV Files'
      | 'Attention Mails'
      | 'Sessions'
      | 'Two-Step Sign-In'
      | 'Access Tokens',
  ): Locator {
    return this.page.getByRole('tab', { name });
  }

  async choose(name: 'Country' | 'State/Province', option: string): Promise<void> {
    await this.choice(name).click();
    await this.page.getByRole('option', { name: option, exact: true }).click();
  }

  async changePassword(current: string, password: string, confirmation = password): Promise<void> {
    await this.field('Current password').fill(current);
    await this.field('New password').fill(password);
    await this.field('Confirm new password').fill(confirmation);
    await this.save.click();
  }

  async createToken(name: string, rights: readonly string[], password: string): Promise<void> {
    await this.field('Name').fill(name);
    for (const right of rights) await this.page.getByRole('checkbox', { name: right, exact: true }).check();
    await this.field('Current password').fill(password);
    await this.page.getByRole('button', { name: 'Create token' }).click();
  }
}
