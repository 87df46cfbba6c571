import type { Locator, Page } from '@playwright/test';

type Setting = 'Mode' | 'Intensity' | 'Off-cycle' | 'Fan Speed';
type Value = Setting | 'Fragrance Remaining';
type Block = 'Product' | 'Name' | 'Identification' | 'Faults' | 'Location';

/** /devices/{dsn} */
export class DeviceScreen {
  readonly heading: Locator;
  /** Beside the heading. */
  readonly status: Locator;
  readonly back: Locator;
  /** Opens the menu of actions on a phone. */
  readonly actions: Locator;
  /** Opens the device form. */
  readonly editDevice: Locator;
  /** Opens the schedule page. */
  readonly editSchedule: Locator;
  readonly settings: Locator;
  /** Opens the copy page. */
  readonly copy: Locator;
  readonly resetLevel: Locator;
  /** Undoes the last reset; visible for 30 seconds. */
  readonly undo: Locator;
  /** Undoes the last reset from its entry in Changes. */
  readonly undoReset: Locator;
  /** The slider on the page. */
  readonly intensity: Locator;
  readonly lower: Locator;
  readonly raise: Locator;
  /** The menu of the sections. */
  readonly sections: Locator;
  readonly notFound: Locator;
  /** The open items of attention. */
  readonly attention: Locator;
  /** The block with the week chart. */
  readonly schedule: Locator;
  readonly forecast: Forecast;
  readonly history: History;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { level: 1 });
    this.status = page.getByRole('main').locator('[data-state]').first();
    this.back = page.getByRole('link', { name: 'Back' });
    this.actions = page.getByRole('button', { name: 'More actions' });
    const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
    this.editDevice = page.getByRole('link', { name: 'Edit', exact: true }).or(item('Edit'));
    this.editSchedule = page.getByRole('link', { name: 'Edit Schedule' });
    this.settings = page.getByRole('button', { name: 'Settings' });
    this.copy = page.getByRole('link', { name: 'Copy Device Details' }).or(item('Copy Device Details'));
    this.resetLevel = page.getByRole('button', { name: 'Reset Fragrance Level' }).or(item('Reset Fragrance Level'));
    this.undo = page.getByRole('button', { name: 'Undo', exact: true });
    this.undoReset = page.getByRole('region', { name: 'Changes' }).getByRole('button', { name: 'Undo this reset' });
    this.intensity = page.getByRole('main').getByRole('slider', { name: 'Intensity' });
    this.lower = page.getByRole('button', { name: 'Lower intensity by 1' });
    this.raise = page.getByRole('button', { name: 'Raise intensity by 1' });
    this.sections = page.getByRole('navigation', { name: 'Sections of this page' });
    this.notFound = page.getByText('Device not found');
    this.attention = page.getByRole('region', { name: 'Needs attention' });
    this.schedule = page.getByRole('region', { name: 'Schedule Overview' });
    this.forecast = new Forecast(page);
    this.history = new History(page);
  }

  /** Clicks an action; on a phone, opens the menu first. */
  async act(action: Locator): Promise<void> {
    await this.heading.waitFor();
    if (await this.actions.isVisible()) await this.actions.click();
    await action.click();
  }

  /** Every label and value of a block, in order. */
  async facts(block: Block): Promise<[label: string, value: string][]> {
    const pairs = this.page.getByRole('region', { name: block, exact: true }).locator('dl > div');
    return pairs.evaluateAll((divs) =>
      divs.map((div) => [div.querySelector('dt')?.textContent ?? '', div.querySelector('dd')?.textContent ?? '']),
    );
  }

  /** The value with this label in the product block, with its status. */
  product(label: Value | 'Connection'): Locator {
    return this.page
      .getByRole('region', { name: 'Product', exact: true })
      .locator('dl > div')
      .filter({ has: this.page.getByText(label, { exact: true }) })
      .getByRole('definition');
  }

  /** The status of the command for a value, until the device acknowledges it. */
  command(value: Value): Locator {
    return this.product(value).getByRole('status').filter({ hasNotText: 'Confirmed' });
  }

  /** The time at which the device confirmed a value. */
  confirmed(value: Value): Locator {
    return this.product(value).getByRole('status').filter({ hasText: 'Confirmed' });
  }

  /** The frames of a day (Monday = 1) in the week chart, in order of time. */
  bars(day: number): Locator {
    return this.track(day).locator('[data-intensity]');
  }

  /** The frames that are marked as running. */
  get runningBars(): Locator {
    return this.schedule.locator('[data-intensity][data-running=true]');
  }

  /** The hours of a bar in a chart whose days run across or down the screen. */
  async hoursOf(day: number, bar: Locator, direction: 'across' | 'down'): Promise<[from: number, to: number]> {
    const [all, part] = await Promise.all([this.track(day).boundingBox(), bar.boundingBox()]);
    if (!all || !part) throw new Error(`day ${day} shows no such frame`);
    const [begin, length, start, extent] =
      direction === 'across' ? [all.x, all.width, part.x, part.width] : [all.y, all.height, part.y, part.height];
    return [((start - begin) / length) * 24, ((start + extent - begin) / length) * 24];
  }

  private track(day: number): Locator {
    return this.schedule.locator(`[data-day="${day}"]`).locator('> div');
  }

  /** Opens the settings dialog. */
  async edit(): Promise<SettingsDialog> {
    await this.settings.click();
    return new SettingsDialog(this.page);
  }
}

/** The block with the date at which the cartridge is empty. */
export class Forecast {
  readonly root: Locator;
  readonly chart: Locator;
  readonly asTable: Locator;
  readonly table: Locator;

  constructor(page: Page) {
    this.root = page.getByRole('region', { name: 'Forecast', exact: true });
    this.chart = this.root.getByRole('img', { name: /^Chart of the level/ });
    this.asTable = this.root.getByRole('button', { name: 'Show as table' });
    this.table = this.root.getByRole('table');
  }

  /** The value with this label. */
  fact(label: string): Locator {
    return this.root.locator('dl > div').filter({ hasText: label }).getByRole('definition');
  }

  /** Scrolls to the forecast, which loads it. */
  async lookAt(): Promise<void> {
    await this.root.scrollIntoViewIfNeeded();
  }
}

/** The history block at the end of the device page. */
export class History {
  readonly root: Locator;
  readonly charts: Locator;
  readonly asTable: Locator;
  readonly table: Locator;
  /** The scrolling part of the table. */
  readonly days: Locator;
  /** Moves the time whose values all charts show. */
  readonly cursor: Locator;

  constructor(page: Page) {
    this.root = page.getByRole('region', { name: 'History', exact: true });
    this.cursor = this.root.getByRole('slider', { name: 'Time in the charts' });
    this.days = this.root.getByRole('region', { name: 'History by day' });
    this.charts = this.root.getByRole('img');
    this.asTable = this.root.getByRole('button', { name: 'Show as table' });
    this.table = this.root.getByRole('table');
  }

  range(name: string): Locator {
    return this.root.getByRole('radiogroup', { name: 'Range' }).getByRole('radio', { name, exact: true });
  }

  /** The radio button itself is hidden behind its label. */
  async choose(range: string): Promise<void> {
    await this.root.getByRole('radiogroup', { name: 'Range' }).getByText(range, { exact: true }).click();
  }

  /** Scrolls to the history, which loads it. */
  async lookAt(): Promise<void> {
    await this.root.scrollIntoViewIfNeeded();
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
