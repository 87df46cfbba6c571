import type { Locator, Page } from '@playwright/test';

export type TextLabel =
  | 'Customer'
  | 'Service Area'
  | 'Customer ID'
  | 'Store Number'
  | 'Install Date'
  | 'Serial Number'
  | 'DSN'
  | 'Latitude'
  | 'Longitude'
  | 'City';
export type SelectLabel = 'CSP' | 'System Configuration' | 'Fragrance' | 'Time Zone' | 'Country' | 'State/Province';

/** /devices/add and /devices/{dsn}/edit */
export class DeviceFormScreen {
  readonly heading: Locator;
  readonly inputs: Locator;
  readonly detectLocation: Locator;
  readonly save: Locator;
  readonly cancel: Locator;
  readonly restored: Locator;
  /** The fields that another person changed meanwhile. */
  readonly changed: Locator;
  readonly discard: Locator;
  readonly leave: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { level: 1 });
    this.inputs = page.locator('form').getByRole('textbox').or(page.locator('form').getByRole('combobox'));
    this.detectLocation = page.getByRole('button', { name: 'Detect Location' });
    this.save = page.getByRole('button', { name: 'Save' });
    this.cancel = page.getByRole('link', { name: 'Cancel' });
    this.restored = page.getByText('Your unsaved changes were restored');
    this.changed = page.getByRole('region', { name: 'Changed by somebody else in the meantime' });
    this.discard = page.getByRole('button', { name: 'Discard' });
    this.leave = page.getByRole('dialog', { name: 'Leave without saving?' });
  }

  text(label: TextLabel): Locator {
    // The customer is a text with suggestions.
    return this.page.getByRole(label === 'Customer' ? 'combobox' : 'textbox', { name: label, exact: true });
  }

  select(label: SelectLabel): Locator {
    return this.page.getByRole('combobox', { name: label, exact: true });
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

  /** The required fields of a new device, except for the dsn and fields that only some users see. */
  async fillIn(): Promise<void> {
    await this.text('Customer').fill('Harbor Hotels');
    await this.text('Service Area').fill('Lobby');
    await this.text('Serial Number').fill('PL-20310');
    await this.choose('Fragrance', 'Amber Library');
    await this.choose('Time Zone', 'America/Chicago');
    await this.choose('Country', 'United States');
    await this.text('City').fill('Milwaukee');
  }
}
