import { expect, type Locator, type Page } from '@playwright/test';

/** /devices on a desktop: a table. */
export class DeviceListScreen {
  readonly heading: Locator;
  readonly table: Locator;
  readonly rows: Locator;
  readonly search: Locator;
  readonly status: Locator;
  readonly clearFilters: Locator;
  readonly pages: Locator;
  /** Opens the filter dialog. */
  readonly filter: Locator;
  readonly addDevice: Locator;
  readonly bulkEdit: Locator;
  private readonly active: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'Devices', level: 1 });
    this.table = page.getByRole('table', { name: 'Devices' });
    // Headings of groups are rows without cells.
    this.rows = this.table
      .locator('tbody')
      .getByRole('row')
      .filter({ has: page.getByRole('cell') });
    this.search = page.getByRole('searchbox', { name: 'Search devices' });
    this.status = page.getByRole('combobox', { name: 'Status' });
    this.clearFilters = page.getByRole('button', { name: 'Clear filters' });
    this.pages = page.getByLabel('Pages');
    this.filter = page.getByRole('button', { name: 'Filter', exact: true });
    this.addDevice = page.getByRole('link', { name: 'Add Device' });
    this.bulkEdit = page.getByRole('button', { name: 'Bulk Edit Details' });
    this.active = page.getByRole('group', { name: 'Active filters' }).getByRole('button', { name: /^Remove filter / });
  }

  /** The chips of all filters or of one filter; a click removes a chip. */
  chip(label = ''): Locator {
    return this.active.filter({ hasText: label });
  }

  async openFilter(): Promise<FilterDialog> {
    await this.filter.click();
    return new FilterDialog(this.page);
  }

  row(dsn: string): Locator {
    return this.rows.filter({ hasText: dsn });
  }

  /** The cell of a row in the column with this label. */
  async cell(dsn: string, label: string): Promise<Locator> {
    const headers = await this.table.getByRole('columnheader').allInnerTexts();
    const place = headers.findIndex((labels) => labels.split('\n').includes(label));
    if (place < 0) throw new Error(`no column has the label ${label}`);
    return this.row(dsn).getByRole('cell').nth(place);
  }

  /** The labels of the columns; one header may contain several. */
  async labels(): Promise<string[]> {
    const texts = await this.table.getByRole('columnheader').allInnerTexts();
    return texts.flatMap((text) => text.split('\n')).filter((text) => text.trim() !== '');
  }

  sortBy(label: string): Locator {
    return this.table.getByRole('columnheader').getByRole('button', { name: label, exact: true });
  }

  /** 'Devices 1 - 5 of 60' */
  footer(text: string): Locator {
    return this.page.getByText(text, { exact: true });
  }

  async goTo(page: string): Promise<void> {
    await this.pages.getByRole('button', { name: page, exact: true }).click();
  }

  async choose(select: 'Status' | 'Rows per page', option: string): Promise<void> {
    await this.page.getByRole('combobox', { name: select }).click();
    await optionOf(this.page, option).click();
  }

  /** The width in pixels that is visible only after scrolling the table sideways. */
  hiddenWidth(): Promise<number> {
    return this.table.evaluate((table) => Math.max(0, table.scrollWidth - (table.parentElement?.clientWidth ?? 0)));
  }

  /** The displayed dsns in order, once the rows match the current URL. */
  async dsns(): Promise<string[]> {
    await expect(this.table).toHaveAttribute('aria-busy', 'false');
    const texts = await this.rows.allInnerTexts();
    return texts.map((text) => /AC000W\d+/.exec(text)?.[0] ?? text);
  }
}

export class FilterDialog {
  readonly root: Locator;
  readonly apply: Locator;
  readonly clear: Locator;
  readonly cancel: Locator;

  constructor(private readonly page: Page) {
    this.root = page.getByRole('dialog', { name: 'Filter devices' });
    this.apply = this.root.getByRole('button', { name: 'Apply' });
    this.clear = this.root.getByRole('button', { name: 'Clear', exact: true });
    this.cancel = this.root.getByRole('button', { name: 'Cancel' });
  }

  field(label: string): Locator {
    const field = { name: label, exact: true };
    return this.root.getByRole('textbox', field).or(this.root.getByRole('combobox', field));
  }

  number(label: string): Locator {
    return this.root.getByRole('spinbutton', { name: label });
  }

  async choose(label: string, option: string): Promise<void> {
    await this.field(label).click();
    await optionOf(this.page, option).click();
  }

  /** The menu of a filter by value. */
  values(label: string): Locator {
    return this.page.getByRole('listbox', { name: `Values of ${label}` });
  }

  /** Opens the menu of a filter by value, and returns all values with their numbers of devices, in their order. */
  async counts(label: string): Promise<FacetCount[]> {
    await this.field(label).click();
    return await this.openCounts(label);
  }

  /** As `counts`, for a menu that is open. */
  async openCounts(label: string): Promise<FacetCount[]> {
    const menu = this.values(label);
    await expect(menu).toHaveAttribute('aria-busy', 'false');
    const values = menu.getByRole('option', { name: / [\d,]+$/ });
    const more = menu.getByRole('option', { name: 'Show more' });
    while ((await more.count()) > 0) {
      const before = await values.count();
      await more.click();
      await expect.poll(() => values.count()).toBeGreaterThan(before);
    }
    const texts = await values.evaluateAll((options) =>
      options.map(({ children }) => [...children].map((c) => c.textContent)),
    );
    return texts.map(([value, count]) => ({ value: value ?? '', devices: Number(count?.replaceAll(',', '')) }));
  }
}

export interface FacetCount {
  value: string;
  devices: number;
}

/** An option, with or without its number of devices. */
function optionOf(page: Page, text: string): Locator {
  return page.getByRole('option', { name: new RegExp(`^${text}( \\(?[\\d,]+\\)?)?$`) });
}
