import type { Locator, Page } from '@playwright/test';

/** /signup */
export class SignUpScreen {
  readonly heading: Locator;
  readonly confirm: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { name: 'Sign Up' });
    this.confirm = page.getByRole('link', { name: 'Confirm account' });
  }
}

/** /password/reset */
export class ForgottenPasswordScreen {
  readonly heading: Locator;
  readonly email: Locator;
  readonly submit: Locator;
  /** Takes the place of the form. */
  readonly sent: Locator;
  readonly setPassword: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { name: 'Reset password' });
    this.email = page.getByRole('textbox', { name: 'Email' });
    this.submit = page.getByRole('button', { name: 'Send reset token' });
    this.sent = page.getByText(/^A reset token was sent to /);
    this.setPassword = page.getByRole('link', { name: 'Set Password' });
  }

  async ask(email: string): Promise<void> {
    await this.email.fill(email);
    await this.submit.click();
  }
}

/** /password/set */
export class NewPasswordScreen {
  readonly heading: Locator;
  readonly token: Locator;
  readonly password: Locator;
  readonly confirmation: Locator;
  readonly submit: Locator;
  readonly done: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { name: 'Set password' });
    this.token = page.getByRole('textbox', { name: 'Reset token' });
    this.password = page.getByRole('textbox', { name: 'New password', exact: true });
    this.confirmation = page.getByRole('textbox', { name: 'Confirm new password' });
    this.submit = page.getByRole('button', { name: 'Set Password' });
    this.done = page.getByText('Your password has been changed.');
  }

  async set(password: string, confirmation = password): Promise<void> {
    await this.password.fill(password);
    await this.confirmation.fill(confirmation);
    await this.submit.click();
  }
}

/** /account/email/confirm */
export class ConfirmEmailScreen {
  readonly heading: Locator;
  readonly token: Locator;
  readonly password: Locator;
  readonly submit: Locator;
  readonly done: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { name: 'Confirm new email address' });
    this.token = page.getByRole('textbox', { name: 'Confirmation token' });
    this.password = page.getByLabel('Password of your account', { exact: true });
    this.submit = page.getByRole('button', { name: 'Confirm the address' });
    this.done = page.getByText('Your email address is changed. Sign in with the new one.');
  }
}

/** /account/email/cancel */
export class CancelEmailChangeScreen {
  readonly heading: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { name: 'Cancel email change' });
  }
}

/** /account/confirm */
export class ConfirmScreen {
  readonly heading: Locator;
  readonly token: Locator;
  readonly submit: Locator;
  readonly done: Locator;
  readonly doneBefore: Locator;

  constructor(page: Page) {
    this.heading = page.getByRole('heading', { name: 'Confirm account' });
    this.token = page.getByRole('textbox', { name: 'Confirmation token' });
    this.submit = page.getByRole('button', { name: 'Confirm' });
    this.done = page.getByText('Account Confirmed');
    this.doneBefore = page.getByText('Your account is confirmed already.');
  }
}
