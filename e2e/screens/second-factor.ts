import type { Locator, Page } from '@playwright/test';

/** /account?tab=second-factor */
export class SecondFactorScreen {
  readonly off: Locator;
  readonly on: Locator;
  readonly setUp: Locator;
  readonly password: Locator;
  readonly continue: Locator;
  readonly qrCode: Locator;
  readonly secret: Locator;
  readonly code: Locator;
  readonly turnOn: Locator;
  /** New recovery codes, shown once. */
  readonly recoveryCodes: Locator;
  readonly keptCodes: Locator;
  readonly renew: Locator;
  readonly turnOff: Locator;
  readonly dialog: Locator;
  readonly addPasskey: Locator;
  readonly passkeyName: Locator;
  readonly passkeys: Locator;

  constructor(page: Page) {
    this.off = page.getByText('Two-step sign-in is off.');
    this.on = page.getByText(/^Two-step sign-in is on since /);
    this.setUp = page.getByRole('button', { name: 'Set up an authenticator app' });
    this.password = page.getByLabel('Current password', { exact: false }).and(page.locator('input'));
    this.continue = page.getByRole('button', { name: 'Continue' });
    this.qrCode = page.getByRole('img', { name: 'QR code for your authenticator app' });
    this.secret = page.getByRole('tabpanel').locator('form code');
    this.code = page.getByRole('textbox', { name: /^Code of your app/ });
    this.turnOn = page.getByRole('button', { name: 'Turn on' });
    this.recoveryCodes = page.getByRole('listitem').filter({ has: page.locator('code') });
    this.keptCodes = page.getByRole('button', { name: 'I have kept the codes' });
    this.renew = page.getByRole('button', { name: 'New recovery codes' });
    this.turnOff = page.getByRole('button', { name: 'Turn off' });
    this.dialog = page.getByRole('dialog');
    this.addPasskey = page.getByRole('button', { name: 'Add a passkey' });
    this.passkeyName = page.getByRole('textbox', { name: 'Name of the passkey' });
    this.passkeys = page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem');
  }

  /** Begins to set up an app, and returns the shown secret. */
  async begin(password: string): Promise<string> {
    await this.setUp.click();
    await this.password.fill(password);
    await this.continue.click();
    return (await this.secret.textContent()) ?? '';
  }

  /** Fills the form of a new passkey. The browser then creates it. */
  async createPasskey(name: string, password: string): Promise<void> {
    await this.passkeyName.fill(name);
    await this.password.fill(password);
    await this.addPasskey.click();
  }

  /** Enters another name of a passkey in the open dialog. */
  async rename(name: string): Promise<void> {
    await this.dialog.getByRole('textbox', { name: 'Name of the passkey' }).fill(name);
    await this.dialog.getByRole('button', { name: 'Rename' }).click();
  }

  /** Enters password and code in the open dialog. */
  async prove(password: string, code: string): Promise<void> {
    await this.dialog.getByLabel('Current password').and(this.dialog.locator('input')).fill(password);
    await this.dialog.getByRole('textbox', { name: /^Code of your app/ }).fill(code);
    await this.dialog.getByRole('button', { name: /^(New recovery codes|Turn off|Remove passkey)$/ }).click();
  }
}
