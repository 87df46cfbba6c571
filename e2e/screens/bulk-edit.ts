import type { Locator, Page } from '@playwright/test';

/** The bulk edit on /devices. */
export class BulkEditScreen {
  readonly panel: Locator;
  readonly save: Locator;
  readonly showPreview: Locator;
  readonly preview: Locator;
  readonly cancel: Locator;
  readonly csp: Locator;
  readonly pageBox: Locator;
  readonly boxes: Locator;
  /** The progress of the job. */
  readonly progress: Locator;
  readonly failures: Locator;

  constructor(private readonly page: Page) {
    this.panel = page.getByRole('region', { name: 'Bulk Edit Details' });
    this.save = this.panel.getByRole('button', { name: 'Save' });
    this.showPreview = this.panel.getByRole('button', { name: 'Preview changes' });
    this.preview = this.panel.getByRole('region', { name: 'What would change' });
    this.cancel = this.panel.getByRole('button', { name: 'Cancel' });
    this.csp = this.panel.getByRole('combobox', { name: 'CSP' });
    this.pageBox = page.getByRole('checkbox', { name: 'Select all on this page' });
    this.boxes = page.getByRole('checkbox', { name: /^Select (?!all)/ });
    this.progress = page.getByRole('region', { name: 'Updating device details' });
    this.failures = this.progress.getByRole('list', { name: 'Failed devices' });
  }

  async chooseCsp(name: string): Promise<void> {
    await this.csp.click();
    await this.page.getByRole('option', { name, exact: true }).click();
  }

  chosen(count: number): Locator {
    return this.panel.getByText(count === 1 ? '1 device selected' : `${count} devices selected`, { exact: true });
  }
}
