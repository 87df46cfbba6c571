import type { Locator, Page } from '@playwright/test';
import type { Account } from '../harness/sillage';

export const SIGN_IN_FAILED = 'Incorrect email or password';

/** /signin */
export class SignInScreen {
  readonly heading: Locator;
  readonly email: Locator;
  readonly password: Locator;
  readonly submit: Locator;
  /** The link to the mailbox; only in a demo. */
  readonly mailbox: Locator;
  /** The field of the second step. */
  readonly code: Locator;
  readonly continue: Locator;
  readonly usePasskey: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { name: 'Sign in' });
    this.email = page.getByRole('textbox', { name: 'Email' });
    this.password = page.getByLabel('Password', { exact: true });
    this.mailbox = page.getByRole('link', { name: 'Open the demo mailbox' });
    this.code = page.getByRole('textbox', { name: 'Code' });
    this.continue = page.getByRole('button', { name: 'Continue' });
    this.usePasskey = page.getByRole('button', { name: 'Use a passkey' });
    this.submit = page.getByRole('button', { name: 'Sign in' });
  }

  async enterCode(code: string): Promise<void> {
    await this.code.fill(code);
    await this.continue.click();
  }

  async signIn({ email, password }: Pick<Account, 'email' | 'password'>): Promise<void> {
    await this.email.fill(email);
    await this.password.fill(password);
    await this.submit.click();
  }
}
