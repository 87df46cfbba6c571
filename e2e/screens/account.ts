import type { Locator, Page } from '@playwright/test';

/** /account */
export class AccountScreen {
  readonly heading: Locator;
  readonly signOut: Locator;
  readonly sessions: Locator;
  readonly endOthers: Locator;
  readonly timeFormats: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'My Account' });
    this.signOut = page.getByRole('link', { name: 'Sign Out', exact: true });
    this.sessions = page.getByRole('tabpanel', { name: 'Sessions' }).getByRole('listitem');
    this.endOthers = page.getByRole('button', { name: 'End all other sessions' });
    this.timeFormats = page.getByRole('radiogroup', { name: 'Time format' });
  }

  tab(name: 'Sessions' | 'Time Format'): Locator {
    return this.page.getByRole('tab', { name });
  }
}
