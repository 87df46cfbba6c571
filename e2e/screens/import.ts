import type { Locator, Page } from '@playwright/test';

/** /import */
export class ImportScreen {
  readonly heading: Locator;
  readonly instructions: Locator;
  readonly download: Locator;
  readonly zone: Locator;
  readonly input: Locator;
  readonly reset: Locator;
  readonly approve: Locator;
  readonly errors: Locator;
  readonly results: Locator;
  /** What the import of the file would change. */
  readonly changes: Locator;
  /** What is asked before an import with implausible values or far changes of levels. */
  readonly question: Locator;
  readonly last: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'Export / Import', level: 1 });
    this.instructions = page.getByRole('region', { name: 'Instructions' }).getByRole('listitem');
    this.download = page.getByRole('button', { name: 'Download' });
    this.input = page.getByLabel('Drop a CSV or XLSX file here');
    this.zone = page.locator('label', { hasText: 'Drop a CSV or XLSX file here' });
    this.reset = page.getByRole('button', { name: 'Reset', exact: true });
    this.approve = page.getByRole('button', { name: 'Approve' });
    this.errors = page.getByRole('table', { name: 'Errors' });
    this.results = page.getByRole('table', { name: 'Fragrances' });
    this.changes = page
      .getByRole('region', { name: 'Import', exact: true })
      .getByRole('table', { name: 'What would change' });
    this.question = page.getByRole('dialog', { name: 'Import this file?' });
    this.last = page.getByRole('region', { name: 'Last import' });
  }

  /** Chooses a file with these lines. */
  async choose(lines: readonly string[], name = 'fragrances.csv'): Promise<void> {
    await this.chooseBytes(Buffer.from(lines.join('\r\n')), name);
  }

  /** Chooses a file with this content. The page does not rely on the type. */
  async chooseBytes(bytes: Uint8Array, name: string): Promise<void> {
    await this.input.setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(bytes) });
  }

  /** Drops several files with these texts at once. */
  async drop(...texts: string[]): Promise<void> {
    const transfer = await this.page.evaluateHandle((texts) => {
      const transfer = new DataTransfer();
      for (const [place, text] of texts.entries()) {
        transfer.items.add(new File([text], `file${place}.csv`, { type: 'text/csv' }));
      }
      return transfer;
    }, texts);
    await this.zone.dispatchEvent('drop', { dataTransfer: transfer });
  }
}
