import type { Locator, Page } from '@playwright/test';

type TextLabel = 'Email' | 'First Name' | 'Last Name' | 'Company' | 'Business Role' | 'Phone' | 'City';
type SelectLabel = 'Role' | 'CSP' | 'State/Province' | 'Country';
type PasswordLabel = 'Password' | 'Confirm Password';

/** /users/invite and /users/{id} */
export class UserFormScreen {
  readonly heading: Locator;
  /** All fields, in the order of the page. */
  readonly inputs: Locator;
  /** All password inputs. */
  readonly passwords: Locator;
  readonly letThemChoose: Locator;
  readonly generate: Locator;
  readonly copy: Locator;
  readonly invite: Locator;
  readonly save: Locator;
  readonly cancel: Locator;
  readonly hour: Locator;
  readonly failed: Locator;
  readonly resetPassword: Locator;
  readonly remove: Locator;
  readonly disable: Locator;
  readonly enable: Locator;
  readonly restored: Locator;
  /** The fields that another person changed meanwhile. */
  readonly changed: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { level: 1 });
    this.inputs = page.locator('form input:not([type=hidden], [type=checkbox])');
    this.passwords = page.locator('form input[type=password]');
    this.letThemChoose = page.getByRole('checkbox', { name: 'Let them choose: send a link' });
    this.generate = page.getByRole('button', { name: 'Generate' });
    this.copy = page.getByRole('button', { name: 'Copy', exact: true });
    this.invite = page.getByRole('button', { name: 'Invite User' });
    this.save = page.getByRole('button', { name: 'Save' });
    this.cancel = page.getByRole('link', { name: 'Cancel' });
    this.hour = page.getByText('Please allow up to an hour to receive invitation email.');
    this.failed = page.getByRole('heading', { name: 'Failed to load user' });
    this.resetPassword = page.getByRole('button', { name: 'Reset Password' });
    this.remove = page.getByRole('button', { name: 'Remove User' });
    this.disable = page.getByRole('button', { name: 'Disable User' });
    this.enable = page.getByRole('button', { name: 'Enable User' });
    this.restored = page.getByText('Your unsaved changes were restored');
    this.changed = page.getByRole('region', { name: 'Changed by somebody else in the meantime' });
  }

  text(label: TextLabel): Locator {
    return this.page.getByRole('textbox', { name: label, exact: true });
  }

  select(label: SelectLabel): Locator {
    return this.page.getByRole('combobox', { name: label, exact: true });
  }

  password(label: PasswordLabel): Locator {
    return this.page.getByLabel(`${label} *`, { exact: true });
  }

  async choose(label: SelectLabel, option: string): Promise<void> {
    await this.select(label).click();
    await this.page.getByRole('option', { name: option, exact: true }).click();
  }

  /** The options of a select, in order. */
  async options(label: SelectLabel): Promise<string[]> {
    await this.select(label).click();
    const options = this.page.getByRole('option');
    await options.first().waitFor();
    const texts = await options.allTextContents();
    await this.page.keyboard.press('Escape');
    return texts;
  }

  /** Fills in the required fields, except for the CSP, which only some users see. */
  async fillIn(email: string): Promise<void> {
    await this.text('Email').fill(email);
    await this.text('First Name').fill('Jo');
    await this.text('Last Name').fill('Moss');
    await this.text('City').fill('Oslo');
    await this.choose('Country', 'Norway');
    await this.password('Password').fill('Correct-Horse-1');
    await this.password('Confirm Password').fill('Correct-Horse-1');
  }

  /** The open dialog with this name. */
  dialog(name: 'Remove User' | 'Disable User' | 'Enable User' | 'Reset Password' | 'Leave without saving?'): Locator {
    return this.page.getByRole('dialog', { name });
  }
}
