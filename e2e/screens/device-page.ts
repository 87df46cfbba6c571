import type { Locator, Page } from '@playwright/test';

type Setting = 'Mode' | 'Intensity' | 'Off-cycle' | 'Fan Speed';
type Value = Setting | 'Fragrance Remaining';
type Block = 'Product' | 'Name' | 'Identification' | 'Location';

/** /devices/{dsn} */
export class DeviceScreen {
  readonly heading: Locator;
  readonly back: Locator;
  /** Opens the menu in which a phone has the actions. */
  readonly actions: Locator;
  /** Opens the form. */
  readonly editDevice: Locator;
  /** Opens the page of the schedule. */
  readonly editSchedule: Locator;
  readonly settings: Locator;
  /** Opens the page that copies. */
  readonly copy: Locator;
  readonly resetLevel: Locator;
  /** Of the last reset, for a while. */
  readonly undo: Locator;
  /** Changes the intensity on the page itself. */
  readonly intensity: Locator;
  readonly lower: Locator;
  readonly raise: Locator;
  /** The menu of the sections. */
  readonly sections: Locator;
  readonly notFound: Locator;
  /** The week of the device. */
  readonly schedule: Locator;
  readonly history: History;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { level: 1 });
    this.back = page.getByRole('link', { name: 'Back' });
    this.actions = page.getByRole('button', { name: 'More actions' });
    const item = (name: string) => page.getByRole('menuitem', { name, exact: true });
    this.editDevice = page.getByRole('link', { name: 'Edit', exact: true }).or(item('Edit'));
    this.editSchedule = page.getByRole('link', { name: 'Edit Schedule' });
    this.settings = page.getByRole('button', { name: 'Settings' });
    this.copy = page.getByRole('link', { name: 'Copy Device Details' }).or(item('Copy Device Details'));
    this.resetLevel = page.getByRole('button', { name: 'Reset Fragrance Level' }).or(item('Reset Fragrance Level'));
    this.undo = page.getByRole('button', { name: 'Undo', exact: true });
    this.intensity = page.getByRole('main').getByRole('slider', { name: 'Intensity' });
    this.lower = page.getByRole('button', { name: 'Lower intensity by 1' });
    this.raise = page.getByRole('button', { name: 'Raise intensity by 1' });
    this.sections = page.getByRole('navigation', { name: 'Sections of this page' });
    this.notFound = page.getByText('Device not found');
    this.schedule = page.getByRole('region', { name: 'Schedule Overview' });
    this.history = new History(page);
  }

  /** Takes one of the actions, on a phone from the menu. */
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

  /** What became of the command for a value, as long as the device has not obeyed. */
  command(value: Value): Locator {
    return this.product(value).getByRole('status').filter({ hasNotText: 'Confirmed' });
  }

  /** When the device took a value over. */
  confirmed(value: Value): Locator {
    return this.product(value).getByRole('status').filter({ hasText: 'Confirmed' });
  }

  /** The frames of a day, Monday = 1, in the week chart, from its begin to its end. */
  bars(day: number): Locator {
    return this.track(day).locator('[data-intensity]');
  }

  /** Those that are marked as running. */
  get runningBars(): Locator {
    return this.schedule.locator('[data-intensity][data-running=true]');
  }

  /** The hours of a bar, with days across or down the screen. */
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

  /** Opens the dialog. */
  async edit(): Promise<SettingsDialog> {
    await this.settings.click();
    return new SettingsDialog(this.page);
  }
}

/** The block at the end of the page. */
export class History {
  readonly root: Locator;
  readonly charts: Locator;
  readonly asTable: Locator;
  readonly table: Locator;
  /** The part of the table that scrolls. */
  readonly days: Locator;
  /** Moves the time that is read in all charts. */
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

  /** Scrolls there, which loads it. */
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
