import type { Locator, Page } from '@playwright/test';
import { DeviceListScreen } from './device-list';

export type CopyOption =
  | 'Name'
  | 'Identification'
  | 'Schedules'
  | 'Notifications'
  | 'Settings'
  | 'Location Information';

/** In the order of the page. */
export const COPY_OPTIONS: CopyOption[] = [
  'Name',
  'Identification',
  'Schedules',
  'Notifications',
  'Settings',
  'Location Information',
];

/** /devices/{dsn}/copy */
export class CopyScreen {
  readonly heading: Locator;
  readonly options: Locator;
  /** The devices that can be chosen, with table, filters and pages. */
  readonly targets: DeviceListScreen;
  readonly cards: Locator;
  readonly apply: Locator;
  /** Asks before a copy whose preview was not shown. */
  readonly question: Locator;
  readonly confirm: Locator;
  readonly showPreview: Locator;
  readonly preview: Locator;
  readonly cancel: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { level: 1 });
    this.options = this.step('1. Choose what to copy').getByRole('checkbox');
    this.targets = new DeviceListScreen(page);
    this.cards = this.step('2. Choose devices').getByRole('listitem');
    this.apply = page.getByRole('button', { name: 'Apply Details' });
    this.question = page.getByRole('dialog', { name: 'Copy these details?' });
    this.confirm = this.question.getByRole('button', { name: /^Apply to \d+ devices?$/ });
    this.showPreview = page.getByRole('button', { name: 'Preview changes' });
    this.preview = page.getByRole('region', { name: 'What would change' });
    this.cancel = page.getByRole('link', { name: 'Cancel' });
  }

  /** Applies without having looked at the preview, and answers the question. */
  async applyUnseen(): Promise<void> {
    await this.apply.click();
    await this.confirm.click();
  }

  private step(name: string): Locator {
    return this.page.getByRole('region', { name, exact: true });
  }

  /** The checkbox of a device on a desktop. */
  target(dsn: string): Locator {
    return this.targets.row(dsn).getByRole('checkbox');
  }

  option(name: CopyOption): Locator {
    return this.page.getByRole('checkbox', { name, exact: true });
  }
}
