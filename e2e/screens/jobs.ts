import type { Locator, Page } from '@playwright/test';

/** /jobs, and the page of one job. */
export class JobsScreen {
  readonly heading: Locator;
  readonly rows: Locator;
  /** The link of the newest job. */
  readonly newest: Locator;
  readonly progress: Locator;
  readonly retry: Locator;
  readonly undo: Locator;
  readonly devices: Locator;
  /** Replaces a job that does not exist for this person. */
  readonly failed: Locator;

  constructor(private readonly page: Page) {
    this.heading = page.getByRole('heading', { name: 'Jobs', exact: true });
    this.rows = page.getByRole('table', { name: 'Jobs' }).locator('tbody tr');
    this.newest = page.getByRole('main').getByRole('link', { name: 'Assigned devices to a CSP' }).first();
    this.progress = page.getByRole('region', { name: 'Progress' });
    this.retry = this.progress.getByRole('button', { name: 'Retry' });
    this.undo = this.progress.getByRole('button', { name: 'Undo' });
    this.devices = page.getByRole('region', { name: 'Devices' });
    this.failed = page.getByText('Failed to load job', { exact: true });
  }

  /** The row of a device on the page of a job. */
  device(dsn: string): Locator {
    return this.devices.getByRole('row', { name: dsn });
  }

  /** The mark of a running job in the navigation. */
  get mark(): Locator {
    return this.page.getByRole('navigation', { name: 'Main' }).getByRole('img', { name: 'A job is running' });
  }
}
