import { device, deviceList, ok, session } from '@test/fake-api';
import { openDevices } from '@test/open-devices';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const rows = () => ok(deviceList([device()]));
const partner = { ...session, can: ['devices.view' as const] };

async function openDialog() {
  await userEvent.click(await screen.findByRole('button', { name: 'Filter' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Filter devices' }));
  await dialog.findByRole('button', { name: 'Apply' });
  return dialog;
}

const chips = () => screen.queryAllByRole('button', { name: /^Remove filter / }).map((chip) => chip.textContent);

test('the dialog has a field for every filter', async () => {
  openDevices('/devices', rows);
  const dialog = await openDialog();
  const labels = [
    ...[
      'Serial Number',
      'DSN',
      'Customer',
      'Customer ID',
      'Store Number',
      'Service Area',
      'CSP',
      'System Configuration',
      'Network',
    ],
    ...['City', 'State/Province', 'Country', 'Status', 'Remaining at most', 'Offline for more than'],
  ];
  for (const label of labels) expect(await dialog.findByLabelText(label, { selector: 'input' })).toBeVisible();
  expect(dialog.getByText(/one or two characters match the beginning/)).toBeVisible();
});

test('users who see no CSPs have no CSP filter, and CSPs are not requested', async () => {
  const { api } = openDevices('/devices?csp=AirCo&city=Oslo', rows, partner);
  const dialog = await openDialog();
  expect(dialog.queryByLabelText('CSP')).not.toBeInTheDocument();
  expect(chips()).toEqual(['CityOslo']);
  expect(api.count('GET /api/csps/all')).toBe(0);
});

test('Enter applies all fields at once and shows the first page', async () => {
  const { router } = openDevices('/devices?page=3&page_size=25&order=asc&order_by=city', rows);
  const dialog = await openDialog();
  await userEvent.type(dialog.getByLabelText('Customer', { selector: 'input' }), ' Harbor ');
  await userEvent.type(dialog.getByLabelText('City'), 'Oslo{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(router.state.location.href).toBe('/devices?page_size=25&order=asc&order_by=city&customer=Harbor&city=Oslo');
  expect(chips()).toEqual(['CustomerHarbor', 'CityOslo']);
  await waitFor(() => expect(screen.getByRole('button', { name: 'Filter' })).toHaveFocus());
});

test('system configuration, status and CSP can be chosen', async () => {
  const { router, api } = openDevices('/devices', rows);
  const dialog = await openDialog();
  for (const [label, option] of [
    ['System Configuration', 'AQ800 Series 1250 mL 1'],
    ['Status', 'Online 4'],
    ['CSP', 'Northlight Scents 3'],
  ] as const) {
    await userEvent.click(dialog.getByLabelText(label, { selector: 'input' }));
    await userEvent.click(await screen.findByRole('option', { name: option, hidden: true }));
  }
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  const wanted = { csp: 'Northlight Scents', model: 'AQ880w1250', connectionstatus: 'Online' };
  await waitFor(() => expect(router.state.location.search).toMatchObject(wanted));
  expect(chips()).toEqual(['CSPNorthlight Scents', 'System ConfigurationAQ800 Series 1250 mL', 'StatusOnline']);
  const request = api.calls.filter(({ url }) => url.pathname === '/api/devices').at(-1)?.url.searchParams;
  expect(Object.fromEntries(request ?? [])).toMatchObject(wanted);
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

test('the dialog can clear all filters, and keeps page size and order', async () => {
  const { router } = openDevices('/devices?page_size=25&order_by=city&city=Oslo&q=AC&connectionstatus=Online', rows);
  const dialog = await openDialog();
  await userEvent.click(dialog.getByRole('button', { name: 'Clear' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?page_size=25&order_by=city'));
  expect(chips()).toEqual([]);
  expect(screen.getByLabelText('Search devices')).toHaveValue('');
});

test('chips can be removed one by one, and the focus stays on the chips', async () => {
  const { router } = openDevices('/devices?page=2&city=Oslo&customer=Harbor', rows);
  await userEvent.click(await screen.findByRole('button', { name: 'Remove filter Customer Harbor' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=Oslo'));
  const last = screen.getByRole('button', { name: 'Remove filter City Oslo' });
  expect(last).toHaveFocus();
  await userEvent.click(last);
  await waitFor(() => expect(router.state.location.href).toBe('/devices'));
  expect(screen.getByRole('button', { name: 'Filter' })).toHaveFocus();
});

test('the search field is above the list and not in the dialog', async () => {
  const { router, api } = openDevices('/devices?page=2', rows);
  const search = await screen.findByRole('searchbox', { name: 'Search devices' });
  await userEvent.type(search, 'harbor 12');
  await waitFor(() => expect(router.state.location.href).toBe('/devices?q=harbor+12'));
  await waitFor(() => expect(chips()).toEqual(['Searchharbor 12']));
  const request = api.calls.filter(({ url }) => url.pathname === '/api/devices').at(-1);
  expect(request?.url.searchParams.get('q')).toBe('harbor 12');
  expect((await openDialog()).queryByLabelText('Search')).not.toBeInTheDocument();
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await userEvent.click(screen.getByRole('button', { name: 'Clear search' }));
  expect(router.state.location.href).toBe('/devices');
  expect(search).toHaveValue('');
  expect(search).toHaveFocus();
});

test('the chips of level, status and time offline have texts', async () => {
  const { router, api } = openDevices('/devices', rows);
  const dialog = await openDialog();
  await userEvent.type(dialog.getByLabelText('Remaining at most'), '30');
  await userEvent.type(dialog.getByLabelText('Offline for more than'), '3');
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?maxremaining=30&offlinehours=72'));
  expect(chips()).toEqual(['Remaining at most30%', 'Offline for more than3 days']);
  const request = api.calls.filter(({ url }) => url.pathname === '/api/devices').at(-1);
  expect(Object.fromEntries(request?.url.searchParams ?? [])).toMatchObject({ maxremaining: '30', offlinehours: '72' });
});

test('the time offline can be entered in hours or days', async () => {
  const { router } = openDevices('/devices?offlinehours=5', rows);
  expect(await screen.findByText('5 hours')).toBeVisible();
  const dialog = await openDialog();
  expect(dialog.getByLabelText('Offline for more than')).toHaveValue(5);
  await userEvent.click(dialog.getByLabelText('Offline for more than, unit', { selector: 'input' }));
  await userEvent.click(await screen.findByRole('option', { name: 'days', hidden: true }));
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?offlinehours=120'));
});

test('every status choice shows its number of devices, regardless of the chosen one', async () => {
  const { api } = openDevices('/devices?connectionstatus=Offline&city=Oslo', rows);
  await screen.findByText('PL-20310');
  await userEvent.click(screen.getByRole('combobox', { name: 'Status' }));
  for (const name of ['Online (4)', 'Offline (3)', 'Never connected (2)']) {
    expect(await screen.findByRole('option', { name, hidden: true })).toBeInTheDocument();
  }
  const request = api.calls.find(({ url }) => url.pathname === '/api/devices/counts');
  expect(Object.fromEntries(request?.url.searchParams ?? [])).toEqual({ city: 'Oslo', connectionstatus: 'Offline' });
});
