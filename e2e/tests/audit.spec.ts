import { readFileSync } from 'node:fs';
import type { AuditPage } from '../../web/src/api/schema.gen';
import { expectAccessible } from '../harness/axe';
import { csvRecords } from '../harness/csv';
import { EVENTS } from '../harness/fault-proxy';
import { expect, test } from '../harness/fixtures';
import { tabTo } from '../harness/keyboard';
import { AuditScreen, changesBlock } from '../screens/audit';
import { DeviceScreen } from '../screens/device-page';
import { ReportDialog } from '../screens/report-dialog';
import { PHONE } from '../screens/sizes';

// The shared fleet has few devices of this CSP that no other test changes.
test.use({ world: 'audit' });

test('a change appears on the device page at once, and at /audit', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(({ csp, fan }) => csp === 'Meridian Air' && fan !== 5);
  const page = await open('cspAdmin');
  await page.goto(`/devices/${dsn}`);
  const dialog = await new DeviceScreen(page).edit();
  await dialog.choose('Fan Speed', '5');
  await dialog.save.click();
  const block = changesBlock(page);
  await expect(block).toContainText('Changed settings');
  await expect(block).toContainText(/Fan Speed .* → .*5/);
  await expect(block).toContainText(people.account('cspAdmin').email);

  await block.getByRole('link', { name: 'Show all' }).click();
  const audit = new AuditScreen(page);
  await expect(page).toHaveURL(`/audit?target=${dsn}`);
  await expect(audit.rows).toHaveCount(1);
  await expect(audit.rows).toContainText(['CSP Admin, Meridian Air']);
  await expect(audit.rows).toContainText(['Chrome on Linux, 127.0.0.1']);
  await expect(audit.rows).toContainText(['Done']);
  await audit.rows.getByRole('link', { name: dsn }).click();
  await expect(page).toHaveURL(`/devices/${dsn}`);
});

test('users of a CSP see no changes of other CSPs and no names of the OEM', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(({ csp }) => csp === 'Meridian Air');
  const api = await people.api('admin');
  const saved = await api.post(`/api/devices/dsns/${dsn}/fragrance-level/reset`);
  expect(saved.status()).toBe(200);
  const page = await open('cspAdmin');
  await page.goto(`/audit?target=${dsn}`);
  const audit = new AuditScreen(page);
  await expect(audit.rows).toContainText(['Outside your CSP']);
  await expect(audit.rows).not.toContainText([people.account('admin').email]);

  const other = await open('otherCspAdmin');
  await other.goto(`/audit?target=${dsn}`);
  await expect(other.getByText('No change matches the filters.')).toBeVisible();
});

test('filters are in the URL and can be set by keyboard', async ({ open, people }) => {
  const page = await open('admin');
  await page.goto('/audit');
  const audit = new AuditScreen(page);
  await expect(audit.rows.first()).toBeVisible();
  await audit.filter.focus();
  await page.keyboard.press('Enter');
  await expect(audit.field('Part of DSN or serial number')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Tab');
  await page.keyboard.type(people.account('admin').email);
  await expectAccessible(page, 'filter dialog of the audit');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/audit\?actor=/);
  await expect(audit.chip('Changed by (email)')).toBeVisible();
  await expect(audit.rows.first()).toContainText(people.account('admin').email);

  await page.goto('/audit?operation=create_session&to=2020-01-31');
  await expect(page.getByText('No change matches the filters.')).toBeVisible();
  await expect(audit.chip('Kind of change')).toHaveText(/Signed in/);
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await expect(page).toHaveURL('/audit');
  await expect(audit.rows.first()).toBeVisible();
});

test('the report has the changes that the page shows with its filters', async ({ open, people, fleet }) => {
  const { dsn } = fleet.claim(({ csp, fan }) => csp === 'Meridian Air' && fan !== 5);
  const api = await people.api('cspAdmin');
  expect((await api.put(`/api/devices/dsns/${dsn}/settings`, { data: { fan: 5 } })).status()).toBe(200);
  for (const _ of ['first', 'second']) {
    expect((await api.post(`/api/devices/dsns/${dsn}/fragrance-level/reset`)).status()).toBe(200);
  }
  const page = await open('cspAdmin');
  await page.goto(`/audit?target=${dsn}&operation=reset_fragrance_level`);
  const audit = new AuditScreen(page);
  await expect(audit.rows).toHaveCount(2);
  const report = new ReportDialog(page);
  const csv = await report.save('CSV');
  expect(csv.suggestedFilename()).toMatch(/^audit-reset-fragrance-level-\d{4}-\d\d-\d\d\.csv$/);
  const [header = [], ...rows] = await csvRecords(csv);
  expect(rows).toHaveLength(2);
  for (const [place, row] of rows.entries()) {
    const cell = (name: string) => row[header.indexOf(name)] ?? 'no such column';
    expect(cell('ID')).toBe(dsn);
    expect(cell('Operation')).toBe('Reset fragrance level');
    for (const name of ['Email', 'Role', 'Address', 'Result']) {
      await expect(audit.rows.nth(place)).toContainText(cell(name));
    }
  }
  const { entries }: AuditPage = await (
    await api.get('/api/audit', { params: { target: dsn, operation: 'reset_fragrance_level' } })
  ).json();
  const json = JSON.parse(readFileSync(await (await report.save('JSON')).path(), 'utf8'));
  expect(json).toEqual({ filters: { target: dsn, operation: 'reset_fragrance_level' }, items: entries });

  await audit.chip('Kind of change').click();
  await expect(audit.rows).toHaveCount(3);
  expect(await csvRecords(await report.save('CSV'))).toHaveLength(4);
  await report.button.click();
  await expectAccessible(page, 'report dialog of the audit');
});

test('on a phone changes are cards, and a failure can be retried', async ({ open, frontProxy, guard }) => {
  guard.expect(503, /^\/api\/audit$/);
  const page = await open('admin', { ...PHONE, through: frontProxy });
  const mend = frontProxy.fail({ match: /^GET \/api\/audit/, status: 503 });
  frontProxy.hold(EVENTS);
  await page.goto('/audit?operation=create_session');
  await expect(page.getByText('Failed to load changes')).toBeVisible();
  await expectAccessible(page, 'failed audit');
  mend();
  await page.getByRole('button', { name: 'Retry' }).tap();
  const audit = new AuditScreen(page);
  await expect(audit.cards.getByRole('listitem').first()).toContainText('Signed in');
});

test('the changes of a job are one row, which the keyboard expands', async ({ open, people, fleet }) => {
  const source = fleet.find(({ csp, fan }) => csp === 'Meridian Air' && fan !== null);
  const claim = () => fleet.claim(({ csp, fan }) => csp === 'Meridian Air' && fan !== source.fan).dsn;
  const targets = [claim(), claim()];
  const api = await people.api('admin');
  const answer = await api.post(`/api/devices/dsns/${source.dsn}/copy`, { data: { targets, settings: true } });
  expect(answer.status(), await answer.text()).toBe(202);
  const { id } = await answer.json();
  await expect.poll(async () => (await (await api.get(`/api/jobs/${id}`)).json()).state).toBe('done');
  const page = await open('admin');
  await page.goto('/audit?operation=copy_device');
  const audit = new AuditScreen(page);
  await expect(audit.rows.first()).toContainText('2 changes');
  const toggle = audit.rows.first().getByRole('button', { name: '2 changes' });
  await tabTo(page, toggle);
  await page.keyboard.press('Enter');
  await expect(toggle).toHaveAttribute('aria-expanded', 'true');
  for (const dsn of targets) await expect(audit.rows.first().getByRole('link', { name: dsn })).toBeVisible();
  await expectAccessible(page, 'unfolded job of the audit');
  await page.keyboard.press('Enter');
  for (const dsn of targets) await expect(audit.rows.first().getByRole('link', { name: dsn })).toHaveCount(0);
});

test('the device filter finds part of a DSN and of a serial number', async ({ open, people, fleet }) => {
  const { dsn, serialNumber } = fleet.claim((device) => device.csp === 'Meridian Air' && device.serialNumber !== null);
  const api = await people.api('admin');
  expect((await api.post(`/api/devices/dsns/${dsn}/fragrance-level/reset`)).status()).toBe(200);
  const page = await open('admin');
  const audit = new AuditScreen(page);
  for (const part of [dsn.slice(-5).toLowerCase(), (serialNumber ?? '').slice(-5)]) {
    await page.goto('/audit');
    await audit.filter.click();
    await audit.field('Part of DSN or serial number').fill(part);
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(`/audit?device=${part}`);
    await expect(audit.rows.filter({ hasText: dsn }).first()).toBeVisible();
  }
  await page.goto('/audit?device=no-such-device');
  await expect(page.getByText('No change matches the filters.')).toBeVisible();
});
