import type { Locator, Page } from '@playwright/test';

type Half = 'AM' | 'PM';

/** /devices/{dsn}/edit/schedule */
export class ScheduleScreen {
  readonly heading: Locator;
  readonly chart: Locator;
  /** The schedules on a desktop. */
  readonly table: Locator;
  readonly rows: Locator;
  /** Times and conflicts of a block while it is dragged. */
  readonly reading: Locator;
  readonly addTime: Locator;
  readonly showAll: Locator;
  readonly save: Locator;
  readonly cancel: Locator;
  readonly restored: Locator;
  /** The schedules that another person changed meanwhile. */
  readonly changed: Locator;
  readonly discard: Locator;
  readonly leave: Locator;
  readonly dialog: FrameDialog;
  readonly conflicts: ConflictDialog;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { level: 1 });
    this.chart = page.getByRole('img', { name: /^Week chart/ });
    this.table = page.getByRole('table', { name: 'Schedules' });
    this.rows = this.table.locator('tbody').getByRole('row');
    this.reading = page.getByRole('status', { name: 'Times while dragging' });
    this.addTime = page.getByRole('button', { name: 'Add a time' });
    this.showAll = page.getByRole('button', { name: 'Show all 21 schedules' });
    this.save = page.getByRole('button', { name: 'Save Schedule' });
    this.cancel = page.getByRole('link', { name: 'Cancel' });
    this.restored = page.getByText('Your unsaved changes were restored');
    this.changed = page.getByRole('region', { name: 'Changed by somebody else in the meantime' });
    this.discard = page.getByRole('button', { name: 'Discard' });
    this.leave = page.getByRole('dialog', { name: 'Leave without saving?' });
    this.dialog = new FrameDialog(page);
    this.conflicts = new ConflictDialog(page);
  }

  /** Opens the dialog of a frame; on a phone, the card of the frame is the button. */
  editButton(number: number): Locator {
    return this.page.getByRole('button', { name: `Edit Schedule ${number}`, exact: true });
  }

  get editButtons(): Locator {
    return this.page.getByRole('button', { name: /^Edit Schedule \d+$/ });
  }

  /** Opens the dialog of a frame, and first shows unused frames if necessary. */
  async edit(number: number): Promise<FrameDialog> {
    await this.save.waitFor();
    if (!(await this.editButton(number).isVisible())) await this.showAll.click();
    await this.editButton(number).click();
    return this.dialog;
  }

  /** The texts of a row: number, status, days, start, end, intensity. */
  async row(number: number): Promise<string[]> {
    const texts = await this.rows
      .filter({ has: this.page.getByRole('rowheader', { name: String(number), exact: true }) })
      .locator('th, td')
      .allInnerTexts();
    // A narrow space separates the time from AM.
    return texts.slice(0, 6).map((text) => text.replaceAll(/\s+/g, ' '));
  }

  /** The numbers of the frames in the chart on a day (Monday = 1). */
  async bars(day: number): Promise<string[]> {
    return this.chart.locator(`[data-day="${day}"] [data-intensity] b`).allTextContents();
  }

  /** The block of a frame on a day (Monday = 1). */
  block(number: number, day: number): Locator {
    return this.chart.locator(`[data-day="${day}"] [data-frame="${number}"]`);
  }

  /** The offset in pixels that corresponds to a number of hours in the chart. */
  async hours(hours: number): Promise<{ x: number; y: number }> {
    const track = await this.chart.locator('[data-day="1"] > div').boundingBox();
    if (!track) throw new Error('the chart is not shown');
    const { width, height } = track;
    return width > height ? { x: (hours * width) / 24, y: 0 } : { x: 0, y: (hours * height) / 24 };
  }
}

export class FrameDialog {
  readonly root: Locator;
  readonly enabled: Locator;
  readonly days: Locator;
  readonly intensity: Locator;
  readonly slider: Locator;
  readonly splitAtMidnight: Locator;
  readonly done: Locator;
  readonly remove: Locator;
  readonly cancel: Locator;

  constructor(private readonly page: Page) {
    this.root = page.getByRole('dialog', { name: /^Edit Schedule \d+$/ });
    this.enabled = this.root.getByRole('switch', { name: 'Enabled' });
    this.days = this.root.getByRole('combobox', { name: 'Days' });
    this.intensity = this.root.getByRole('textbox', { name: 'Intensity' });
    this.slider = this.root.getByRole('slider', { name: 'Intensity' });
    this.splitAtMidnight = this.root.getByRole('button', { name: 'Split at midnight' });
    this.done = this.root.getByRole('button', { name: 'Done' });
    this.remove = this.root.getByRole('button', { name: 'Remove' });
    this.cancel = this.root.getByRole('button', { name: 'Cancel' });
  }

  /** A day of the week among several. */
  day(day: string): Locator {
    return this.root.getByRole('checkbox', { name: day, exact: true });
  }

  time(field: 'Start Time' | 'End Time'): Locator {
    return this.root.getByRole('textbox', { name: field });
  }

  half(field: 'Start Time' | 'End Time', half: Half): Locator {
    return this.root.getByRole('radiogroup', { name: `${field}, AM or PM` }).getByRole('radio', { name: half });
  }

  async enable(on: boolean): Promise<void> {
    await this.enabled.setChecked(on);
  }

  async chooseDays(days: string): Promise<void> {
    await this.days.click();
    await this.page.getByRole('option', { name: days, exact: true }).click();
  }

  /** Enters a time such as '11:59 PM'. */
  async enter(field: 'Start Time' | 'End Time', time: string): Promise<void> {
    const [text = '', half = 'AM'] = time.split(' ');
    await this.time(field).fill(text);
    const halves = this.root.getByRole('radiogroup', { name: `${field}, AM or PM` });
    await halves.getByText(half, { exact: true }).click();
  }
}

export class ConflictDialog {
  readonly root: Locator;
  readonly others: Locator;
  readonly disableOthers: Locator;
  readonly saveDisabled: Locator;
  readonly cancel: Locator;

  constructor(page: Page) {
    this.root = page.getByRole('dialog', { name: 'Time Conflicts' });
    this.others = this.root.getByRole('listitem');
    this.disableOthers = this.root.getByRole('button', { name: 'Disable conflicting schedules' });
    this.saveDisabled = this.root.getByRole('button', { name: 'Save as disabled' });
    this.cancel = this.root.getByRole('button', { name: 'Cancel' });
  }

  /** The button that resolves a conflict, such as 'Start at 6:31 PM'. */
  fit(choice: string): Locator {
    return this.root.getByRole('button', { name: choice, exact: true });
  }
}
