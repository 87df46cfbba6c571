import type { Locator, Page } from '@playwright/test';

type Setting = 'Mode' | 'Intensity' | 'Off-cycle' | 'Fan Speed';
type Value = Setting | 'Fragrance Remaining';
type Block = 'Product' | 'Name' | 'Id' | 'Location';

/** /devices/{dsn} */
export class DeviceScreen {
  readonly heading: Locator;
  readonly back: Locator;
  /** Opens the form. */
  readonly editDevice: Locator;
  readonly settings: Locator;
  readonly resetLevel: Locator;
  readonly notFound: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { level: 1 });
    this.back = page.getByRole('link', { name: 'Back' });
    this.editDevice = page.getByRole('link', { name: 'Edit', exact: true });
    this.settings = page.getByRole('button', { name: 'Settings' });
    this.resetLevel = page.getByRole('button', { name: 'Reset Fragrance Level' });
    this.notFound = page.getByText('Device not found');
  }

  /** Every label and value of a block, in order. */
  async facts(block: Block): Promise<[label: string, value: string][]> {
    const pairs = this.page.getByRole('region', { name: block, exact: true }).locator('dl > div');
    return pairs.evaluateAll((divs) =>
      divs.map((div) => [div.querySelector('dt')?.textContent ?? '', div.querySelector('dd')?.textContent ?? '']),
    );
  }

  /** The value of the product block with this label, and what is said about it. */
  product(label: Value | 'Connection'): Locator {
    return this.page
      .getByRole('region', { name: 'Product', exact: true })
      .locator('dl > div')
      .filter({ has: this.page.getByText(label, { exact: true }) })
      .getByRole('definition');
  }

  /** What became of the command for a value, as long as the device has not obeyed. */
  command(value: Value): Locator {
    return this.product(value).getByRole('status').filter({ hasNotText: 'Confirmed' });
  }

  /** When the device took a value over. */
  confirmed(value: Value): Locator {
    return this.product(value).getByRole('status').filter({ hasText: 'Confirmed' });
  }

  /** Opens the dialog. */
  async edit(): Promise<SettingsDialog> {
    await this.settings.click();
    return new SettingsDialog(this.page);
  }
}

export class SettingsDialog {
  readonly root: Locator;
  readonly intensity: Locator;
  readonly slider: Locator;
  readonly save: Locator;
  readonly cancel: Locator;

  constructor(page: Page) {
    this.root = page.getByRole('dialog', { name: 'Device Settings' });
    this.intensity = this.root.getByRole('textbox', { name: 'Intensity' });
    this.slider = this.root.getByRole('slider', { name: 'Intensity' });
    this.save = this.root.getByRole('button', { name: 'Save' });
    this.cancel = this.root.getByRole('button', { name: 'Cancel' });
  }

  choices(setting: 'Mode' | 'Off-cycle' | 'Fan Speed'): Locator {
    return this.root.getByRole('radiogroup', { name: setting }).getByRole('radio');
  }

  choice(setting: 'Mode' | 'Off-cycle' | 'Fan Speed', name: string): Locator {
    return this.root.getByRole('radiogroup', { name: setting }).getByRole('radio', { name, exact: true });
  }

  /** The radio button itself is hidden behind its label. */
  async choose(setting: 'Mode' | 'Off-cycle' | 'Fan Speed', name: string): Promise<void> {
    await this.root.getByRole('radiogroup', { name: setting }).getByText(name, { exact: true }).click();
  }
}
