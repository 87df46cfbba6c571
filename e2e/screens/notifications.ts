import type { Locator, Page } from '@playwright/test';

type Event = 'Connected' | 'Disconnected' | 'Low Product Level';

/** The notifications of a device on its page. */
export class NotificationsBlock {
  readonly root: Locator;
  readonly empty: Locator;
  readonly add: Locator;
  /** Restores a removed notification; visible for 30 seconds. */
  readonly undo: Locator;
  /** The list on a desktop. */
  readonly table: Locator;
  /** The list on a phone. */
  readonly cards: Locator;
  readonly dialog: NotificationDialog;

  constructor(page: Page) {
    this.root = page.getByRole('region', { name: 'Notifications', exact: true });
    this.empty = this.root.getByText('No Notifications');
    this.add = this.root.getByRole('button', { name: 'Add Notification' });
    this.undo = this.root.getByRole('button', { name: 'Undo', exact: true });
    this.table = this.root.getByRole('table', { name: 'Notifications' });
    this.cards = this.root.getByRole('listitem');
    this.dialog = new NotificationDialog(page);
  }

  get columns(): Locator {
    return this.table.getByRole('columnheader');
  }

  edit(recipient: string): Locator {
    return this.root.getByRole('button', { name: `Edit notification of ${recipient}` });
  }

  remove(recipient: string): Locator {
    return this.root.getByRole('button', { name: `Remove notification of ${recipient}` });
  }

  /** Method, recipient, and Yes or No for each event. */
  async rows(): Promise<string[][]> {
    const rows = await this.table.locator('tbody').getByRole('row').all();
    return Promise.all(
      rows.map(async (row) => {
        const texts = await row.locator('th, td').allTextContents();
        return texts.slice(0, 5).map((text) => text.replace('–', ''));
      }),
    );
  }
}

export class NotificationDialog {
  readonly root: Locator;
  readonly method: Locator;
  readonly country: Locator;
  readonly phone: Locator;
  readonly email: Locator;
  readonly save: Locator;
  readonly cancel: Locator;

  constructor(private readonly page: Page) {
    this.root = page.getByRole('dialog', { name: /^(Add|Edit) Notification$/ });
    this.method = this.root.getByRole('combobox', { name: 'Method' });
    this.country = this.root.getByRole('combobox', { name: 'Country' });
    this.phone = this.root.getByRole('textbox', { name: 'Phone number' });
    this.email = this.root.getByRole('textbox', { name: 'Email' });
    this.save = this.root.getByRole('button', { name: 'Save' });
    this.cancel = this.root.getByRole('button', { name: 'Cancel' });
  }

  event(name: Event): Locator {
    return this.root.getByRole('checkbox', { name, exact: true });
  }

  async choose(select: Locator, option: string): Promise<void> {
    await select.click();
    await this.page.getByRole('option', { name: option, exact: true }).click();
  }
}
