import { expect, type Locator, type Page } from '@playwright/test';
import { release } from '../harness/release';
import { AccountScreen } from './account';
import { DeviceListScreen } from './device-list';
import { DeviceScreen } from './device-page';
import { FleetScreen } from './fleet';
import { SecondFactorScreen } from './second-factor';
import { Shell } from './shell';
import { SignInScreen } from './sign-in';

const MISSING = 'This part of the page could not be loaded';
const UPDATED = 'Sillage was updated.';
const button = (page: Page | Locator, name: string) => page.getByRole('button', { name, exact: true });

export interface Part {
  /** The beginning of the name of its file. */
  file: string;
  /** A field, button or picture of the loaded part. */
  loaded: (page: Page) => Locator;
}

/** Where parts of pages are opened whose code is loaded late. */
interface Place {
  address: string;
  open: (page: Page) => Promise<void>;
  /** The dialog that covers the rest of the page. */
  dialog?: string;
  /** The data without which the code is not loaded when the page is opened. */
  data?: string;
  /** The parts by the names of their components. */
  parts: Record<string, Part>;
}

/** The places that need nothing but a session. DSN stands for a device that has a forecast. */
export const PLACES: Place[] = [
  {
    address: '/devices',
    dialog: 'Filter devices',
    open: (page) => new DeviceListScreen(page).filter.click(),
    parts: {
      FilterForm: { file: 'FilterForm', loaded: (page) => button(page.getByRole('dialog'), 'Apply') },
      FacetInput: { file: 'FacetInput', loaded: (page) => filterField(page, 'City') },
      // The form needs this file, too.
      DateInput: { file: 'FilterInputs', loaded: (page) => page.getByRole('dialog').getByLabel('Runs dry before') },
      RemainingInput: { file: 'filter-inputs', loaded: (page) => page.getByRole('dialog').getByLabel(/^Remaining/) },
      OfflineInput: { file: 'filter-inputs', loaded: (page) => filterField(page, 'Offline for more than, unit') },
    },
  },
  {
    address: '/devices',
    dialog: 'Report',
    open: (page) => button(page, 'Report').click(),
    parts: { ReportForm: { file: 'ReportForm', loaded: (page) => button(page, 'Generate') } },
  },
  {
    address: '/devices',
    open: (page) => new DeviceListScreen(page).bulkEdit.click(),
    parts: {
      BulkEditPanel: {
        file: 'BulkEditPanel',
        loaded: (page) => button(page.getByRole('region', { name: 'Bulk Edit Details' }), 'Save'),
      },
    },
  },
  {
    address: '/devices',
    dialog: 'Keyboard shortcuts',
    open: async (page) => {
      await new Shell(page).openAccount();
      await button(page, 'Keyboard shortcuts').click();
    },
    parts: { ShortcutKeys: { file: 'ShortcutKeys', loaded: (page) => new Shell(page).shortcuts.getByRole('switch') } },
  },
  {
    address: '/devices/DSN',
    dialog: 'Add Notification',
    open: (page) => button(page, 'Add Notification').click(),
    parts: {
      OpenedNotification: { file: 'OpenedNotification', loaded: (page) => button(page.getByRole('dialog'), 'Save') },
    },
  },
  {
    address: '/devices/DSN',
    data: '**/api/devices/dsns/*/forecast',
    open: (page) => new DeviceScreen(page).forecast.lookAt(),
    parts: { ForecastChart: { file: 'ForecastChart', loaded: (page) => new DeviceScreen(page).forecast.chart } },
  },
  {
    address: '/devices/DSN',
    data: '**/api/devices/dsns/*/history?*',
    open: (page) => new DeviceScreen(page).history.lookAt(),
    parts: { HistoryCharts: { file: 'HistoryCharts', loaded: (page) => new DeviceScreen(page).history.charts } },
  },
  {
    address: '/devices/DSN',
    open: async (page) => {
      const { history } = new DeviceScreen(page);
      await history.lookAt();
      await history.asTable.click();
    },
    parts: { HistoryTable: { file: 'temporal-polyfill', loaded: (page) => new DeviceScreen(page).history.table } },
  },
  {
    address: '/fleet',
    data: '**/api/fleet/history?*',
    open: async () => undefined,
    parts: {
      SeriesChart: {
        file: 'SeriesChart',
        loaded: (page) => new FleetScreen(page).block('Devices online by hour').getByRole('img'),
      },
    },
  },
  {
    address: '/fleet',
    dialog: 'Filter the fleet',
    open: (page) => new FleetScreen(page).filter.click(),
    parts: { CustomerInput: { file: 'CustomerFilterInputs', loaded: (page) => filterField(page, 'Customer') } },
  },
  {
    address: '/account',
    open: (page) => new AccountScreen(page).tab('Two-Step Sign-In').click(),
    parts: { SecondFactorTab: { file: 'SecondFactorTab', loaded: (page) => new SecondFactorScreen(page).setUp } },
  },
  {
    address: '/account',
    open: (page) => new AccountScreen(page).tab('Access Tokens').click(),
    parts: { TokensTab: { file: 'TokensTab', loaded: (page) => button(page, 'Create token') } },
  },
  {
    address: '/account',
    open: (page) => new AccountScreen(page).tab('Attention Mails').click(),
    parts: { DigestTab: { file: 'DigestTab', loaded: (page) => page.getByLabel('Send me a digest every day') } },
  },
];

/** The parts that only a page at a domain with a passkey shows. */
export const PASSKEY_PARTS = {
  PasskeySetup: { file: 'PasskeySetup', loaded: (page: Page) => new SecondFactorScreen(page).passkeyName },
  PasskeyStep: { file: 'PasskeyStep', loaded: (page: Page) => new SignInScreen(page).usePasskey },
};

function filterField(page: Page, label: string): Locator {
  return page.getByRole('dialog').getByRole('combobox', { name: label, exact: true });
}

type Opening = Pick<Place, 'open' | 'dialog'>;

const rootOf = (page: Page, dialog: string | undefined) =>
  dialog === undefined ? page.locator('body') : page.getByRole('dialog', { name: dialog });

/** Opens a part whose code fails to load, and checks that Retry shows it. */
export async function expectRetryOpens(page: Page, { file, loaded }: Part, { open, dialog }: Opening): Promise<void> {
  const root = rootOf(page, dialog);
  await open(page);
  await expect(root.getByText(MISSING).first()).toBeVisible();
  await page.unroute(failing(file));
  // The same code may be missing in several places.
  const retries = button(root, 'Retry');
  await expect(async () => {
    if ((await retries.count()) > 0) await retries.first().click();
    expect(await retries.count()).toBe(0);
  }).toPass();
  await expect(loaded(page).first()).toBeVisible();
  await expect(root.getByText(MISSING)).toHaveCount(0);
}

/** From now on, code in this file fails to load. */
export async function failToLoad(page: Page, { file }: Part): Promise<void> {
  await page.route(failing(file), (route) => route.abort());
}

const failing = (file: string) => `**/assets/${file}-*.js`;

/** Opens a place after a release, and checks that it says so and that Reload shows its parts when it is opened again. */
export async function expectReloadOpens(page: Page, parts: Part[], { open, dialog }: Opening): Promise<void> {
  await open(page);
  const root = rootOf(page, dialog);
  await expect(root.getByText(UPDATED).first()).toBeVisible();
  await button(root, 'Reload').first().click();
  await open(page);
  for (const { loaded } of parts) await expect(loaded(page).first()).toBeVisible();
  await expect(page.getByText(UPDATED)).toHaveCount(0);
}

/** Releases another build below the open page. Data that the page waits for arrives only then. */
export async function releaseBelow(page: Page, { address, data }: Pick<Place, 'address' | 'data'>): Promise<void> {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => {
    arrive = resolve;
  });
  if (data !== undefined) {
    await page.route(data, async (route) => {
      await arrived;
      await route.fallback();
    });
  }
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await release(page);
  arrive();
}
