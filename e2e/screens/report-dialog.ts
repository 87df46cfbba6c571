import type { Download, Locator, Page } from '@playwright/test';

type ReportName = 'Printable' | 'Excel' | 'CSV' | 'JSON';

/** The dialog that the Report button of a list opens. */
export class ReportDialog {
  readonly button: Locator;
  readonly root: Locator;
  readonly types: Locator;
  readonly groupByCustomer: Locator;
  readonly generate: Locator;
  readonly cancel: Locator;

  constructor(private readonly page: Page) {
    this.button = page.getByRole('button', { name: 'Report', exact: true });
    this.root = page.getByRole('dialog', { name: 'Report' });
    this.types = this.root.getByRole('radiogroup', { name: 'Type' }).getByRole('radio');
    this.groupByCustomer = this.root.getByRole('checkbox', { name: 'Group by customer' });
    this.generate = this.root.getByRole('button', { name: 'Generate' });
    this.cancel = this.root.getByRole('button', { name: 'Cancel' });
  }

  type(name: ReportName): Locator {
    return this.root.getByRole('radio', { name: new RegExp(`^${name}`) });
  }

  /** Generates the list of cartridges to buy in the next 30 days as CSV, and waits for its file. */
  async saveCartridges(): Promise<Download> {
    await this.button.click();
    await this.root.getByRole('radio', { name: 'Cartridges to buy' }).check();
    await this.type('CSV').check();
    const download = this.page.waitForEvent('download');
    await this.generate.click();
    return download;
  }

  /** Generates what stores used in the chosen month, and waits for its file. */
  async saveStores(type: ReportName): Promise<Download> {
    await this.button.click();
    await this.root.getByRole('radio', { name: 'Use by store and fragrance in a month' }).check();
    await this.type(type).check();
    const download = this.page.waitForEvent('download');
    await this.generate.click();
    return download;
  }

  /** Generates a report and waits for its file. */
  async save(type: ReportName): Promise<Download> {
    await this.button.click();
    await this.type(type).check();
    const download = this.page.waitForEvent('download');
    await this.generate.click();
    return download;
  }
}
