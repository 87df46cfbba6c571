import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../harness/fixtures';
import { dialogsWithSelects } from '../harness/select-dialogs';
import { AttentionScreen } from '../screens/attention';
import { DeviceFormScreen } from '../screens/device-form';
import { PHONE } from '../screens/sizes';

interface Opened {
  /** Its source, below web/src. */
  source: string;
  /** Opens the dialog or form. */
  open: (page: Page, dsn: string) => Promise<void>;
  /** Labels of all selects, in an order in which each has an option to choose. */
  selects: string[];
  /** Labels of the fields that offer the values that devices have. */
  facets?: string[];
}

const openFilter =
  (address: string) =>
  async (page: Page): Promise<void> => {
    await page.goto(address);
    await page.getByRole('button', { name: 'Filter', exact: true }).tap();
  };

const FACETS = [
  ...['Customer', 'Service Area', 'CSP', 'System Configuration', 'Fragrance', 'Network'],
  ...['City', 'State/Province', 'Country', 'Status', 'Mode'],
];

const DIALOGS: Record<string, Opened> = {
  'filter of devices': {
    source: 'features/devices/list/device-filters.tsx',
    open: openFilter('/devices'),
    selects: ['Runs dry in', 'Offline for more than, unit'],
    facets: FACETS,
  },
  'filter of attention': {
    source: 'features/attention/list/attention-filters.tsx',
    open: openFilter('/attention'),
    selects: ['CSP', 'State', 'What', 'Severity', 'Assigned to'],
  },
  'filter of users': {
    source: 'features/users/list/user-filters.tsx',
    open: openFilter('/users'),
    selects: ['CSP', 'Role', 'Confirmed', 'Two-step sign-in', 'Disabled'],
  },
  'filter of the audit': {
    source: 'features/audit/list/audit-filters.tsx',
    open: openFilter('/audit'),
    selects: ['Kind of change'],
  },
  'filter of the fleet': {
    source: 'features/fleet/filters/fleet-filters.tsx',
    open: openFilter('/fleet'),
    selects: ['CSP', 'Customer', 'Fragrance'],
  },
  'report of the fleet': {
    source: 'ui/list/ReportButton.tsx',
    open: async (page) => {
      await page.goto('/fleet');
      await page.getByRole('button', { name: 'Report', exact: true }).tap();
      await page.getByRole('radio', { name: /^Use by store/ }).tap();
    },
    selects: ['Month'],
  },
  'filter of CSPs': { source: 'features/csps/list/CspsPage.tsx', open: openFilter('/csps'), selects: [] },
  'assignment of items': {
    source: 'features/attention/item/AssignDialog.tsx',
    open: async (page) => {
      await page.goto('/attention');
      // The checkbox before it selects the items of all CSPs, who have no person in common.
      await page.getByRole('listitem').getByRole('checkbox').first().tap();
      await new AttentionScreen(page).action('Assign').tap();
    },
    selects: ['Person'],
  },
  'filter of copy targets': {
    source: 'features/devices/list/device-filters.tsx',
    open: (page, dsn) => openFilter(`/devices/${dsn}/copy`)(page),
    selects: ['Runs dry in', 'Offline for more than, unit'],
    facets: FACETS,
  },
  'form of a schedule': {
    source: 'features/devices/schedule/FrameDialog.tsx',
    open: async (page, dsn) => {
      await page.goto(`/devices/${dsn}/edit/schedule`);
      await page.getByRole('button', { name: 'Edit Schedule 1', exact: true }).tap();
    },
    selects: ['Days'],
  },
  'form of a notification': {
    source: 'features/devices/notifications/NotificationsBlock.tsx',
    open: async (page, dsn) => {
      await page.goto(`/devices/${dsn}`);
      await page.getByRole('button', { name: 'Add Notification' }).tap();
    },
    selects: ['Country', 'Method'],
  },
};

/** Records the widths of the page during the next frames. */
function widthsOf(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    const widths = new Set<number>();
    for (let frame = 0; frame < 20; frame += 1) {
      await new Promise(requestAnimationFrame);
      widths.add(window.innerWidth).add(document.documentElement.scrollWidth);
    }
    return [...widths];
  });
}

async function chooseByTouch(page: Page, dialog: Locator, name: string): Promise<void> {
  const select = dialog.getByRole('combobox', { name });
  await select.tap();
  const option = page.getByRole('option').last();
  await expect(option).toBeVisible();
  expect(await widthsOf(page)).toEqual([PHONE.viewport.width]);
  const label = await option.innerText();
  await option.tap();
  await expect(select).toHaveValue(label);
}

async function chooseValueByTouch(page: Page, dialog: Locator, name: string): Promise<void> {
  const field = dialog.getByRole('combobox', { name, exact: true });
  await field.tap();
  const menu = page.getByRole('listbox', { name: `Values of ${name}` });
  await expect(menu).toHaveAttribute('aria-busy', 'false');
  expect(await widthsOf(page)).toEqual([PHONE.viewport.width]);
  const option = menu.getByRole('option').first();
  const height = (await option.boundingBox())?.height ?? 0;
  expect(Math.round(height)).toBeGreaterThanOrEqual(44);
  const [label = '', count] = (await option.innerText()).split('\n');
  expect(count).toMatch(/^[\d,]+$/);
  await option.tap();
  await expect(menu).toHaveCount(0);
  await expect(field).toHaveValue(label);
}

test('every dialog with a select is opened by these tests', () => {
  const opened = new Set(Object.values(DIALOGS).map(({ source }) => source));
  expect([...opened].sort()).toEqual(dialogsWithSelects().sort());
});

for (const [name, { open: openDialog, selects, facets = [] }] of Object.entries(DIALOGS)) {
  test(`every select of the ${name} opens and accepts a choice by touch`, async ({ open, fleet }) => {
    const page = await open('admin', PHONE);
    await openDialog(page, fleet.find(({ mode }) => mode === 4).dsn);
    const dialog = page.getByRole('dialog');
    await expect(dialog).toBeVisible();
    await expect(dialog.getByRole('combobox')).toHaveCount(selects.length + facets.length);
    for (const label of selects) await chooseByTouch(page, dialog, label);
    for (const label of facets) await chooseValueByTouch(page, dialog, label);
  });
}

test('a field stays where it was tapped and above the pinned buttons while its options open', async ({ open }) => {
  const page = await open('admin', PHONE);
  await page.goto('/devices/add');
  const form = new DeviceFormScreen(page);
  const country = form.select('Country');
  await country.evaluate((field) => field.scrollIntoView({ block: 'center' }));
  const top = () => country.evaluate((field) => Math.round(field.getBoundingClientRect().top));
  const before = await top();
  await country.tap();
  await expect(page.getByRole('option').first()).toBeVisible();
  expect(await widthsOf(page)).toEqual([PHONE.viewport.width]);
  expect(await top()).toBe(before);

  // Typing into a field behind the buttons scrolls it into view.
  const buttons = await form.save.boundingBox();
  if (!buttons) throw new Error('the page has no Save button');
  await country.evaluate((field, y) => window.scrollBy(0, field.getBoundingClientRect().top - y), buttons.y);
  await page.keyboard.type('Norw');
  await expect.poll(() => country.evaluate((field) => field.getBoundingClientRect().bottom)).toBeLessThan(buttons.y);
});
