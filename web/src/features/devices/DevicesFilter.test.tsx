import { device, deviceList, ok, session } from '@test/fake-api';
import { openDevices } from '@test/open-devices';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const rows = () => ok(deviceList([device()]));
const partner = { ...session, can: ['devices.view' as const] };

async function openDialog() {
  await userEvent.click(await screen.findByRole('button', { name: 'Filter' }));
  return within(await screen.findByRole('dialog', { name: 'Filter devices' }));
}

const chips = () => screen.queryAllByRole('button', { name: /^Remove filter / }).map((chip) => chip.textContent);

test('the dialog has a field for every filter', async () => {
  openDevices('/devices', rows);
  const dialog = await openDialog();
  const labels = [
    ...['Serial Number', 'DSN', 'Customer', 'Service Area', 'CSP', 'System Configuration', 'Network'],
    ...['City', 'State/Province', 'Country', 'Status'],
  ];
  for (const label of labels) expect(dialog.getByLabelText(label, { selector: 'input' })).toBeVisible();
  expect(dialog.getByText(/one or two characters match the beginning/)).toBeVisible();
});

test('who sees no CSP has no filter for it, and none is asked for', async () => {
  const { api } = openDevices('/devices?csp=AirCo&city=Oslo', rows, partner);
  const dialog = await openDialog();
  expect(dialog.queryByLabelText('CSP')).not.toBeInTheDocument();
  expect(chips()).toEqual(['CityOslo']);
  expect(api.count('GET /api/csps/all')).toBe(0);
});

test('Enter applies all fields at once and begins on the first page', async () => {
  const { router } = openDevices('/devices?page=3&page_size=25&order=asc&order_by=city', rows);
  const dialog = await openDialog();
  await userEvent.type(dialog.getByLabelText('Customer'), ' Harbor ');
  await userEvent.type(dialog.getByLabelText('City'), 'Oslo{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(router.state.location.href).toBe('/devices?page_size=25&order=asc&order_by=city&customer=Harbor&city=Oslo');
  expect(chips()).toEqual(['CustomerHarbor', 'CityOslo']);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Filter' })).toHaveFocus());
});

test('a system configuration, a status and a CSP are chosen', async () => {
  const { router, api } = openDevices('/devices', rows);
  const dialog = await openDialog();
  for (const [label, option] of [
    ['System Configuration', 'AQ800 Series 1250 mL'],
    ['Status', 'Online'],
    ['CSP', 'Northlight Scents'],
  ] as const) {
    await userEvent.click(dialog.getByLabelText(label, { selector: 'input' }));
    // The list of another field may hold the same.
    const options = await screen.findAllByRole('option', { name: option, hidden: true });
    await userEvent.click(options.at(-1) as HTMLElement);
  }
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  const wanted = { csp: 'Northlight Scents', model: 'AQ880w1250', connectionstatus: 'Online' };
  await waitFor(() => expect(router.state.location.search).toMatchObject(wanted));
  expect(chips()).toEqual(['CSPNorthlight Scents', 'System ConfigurationAQ800 Series 1250 mL', 'StatusOnline']);
  const asked = api.calls.filter(({ url }) => url.pathname === '/api/devices').at(-1)?.url.searchParams;
  expect(Object.fromEntries(asked ?? [])).toMatchObject(wanted);
});

test('Cancel changes nothing', async () => {
  const { router } = openDevices('/devices?city=Oslo', rows);
  const dialog = await openDialog();
  await userEvent.type(dialog.getByLabelText('City'), ' Nord');
  await userEvent.click(dialog.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(router.state.location.href).toBe('/devices?city=Oslo');
  expect((await openDialog()).getByLabelText('City')).toHaveValue('Oslo');
});

test('the dialog clears all filters, and keeps size and order', async () => {
  const { router } = openDevices('/devices?page_size=25&order_by=city&city=Oslo&dsn=AC&connectionstatus=Online', rows);
  const dialog = await openDialog();
  await userEvent.click(dialog.getByRole('button', { name: 'Clear' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?page_size=25&order_by=city'));
  expect(chips()).toEqual([]);
  expect(screen.getByLabelText('Filter by DSN')).toHaveValue('');
});

test('chips are taken away one by one, and the focus stays with them', async () => {
  const { router } = openDevices('/devices?page=2&city=Oslo&customer=Harbor', rows);
  await userEvent.click(await screen.findByRole('button', { name: 'Remove filter Customer Harbor' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=Oslo'));
  const last = screen.getByRole('button', { name: 'Remove filter City Oslo' });
  expect(last).toHaveFocus();
  await userEvent.click(last);
  await waitFor(() => expect(router.state.location.href).toBe('/devices'));
  expect(screen.getByRole('button', { name: 'Filter' })).toHaveFocus();
});
