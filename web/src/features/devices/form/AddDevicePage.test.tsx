import { device, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import {
  ADD,
  choose,
  DSN,
  FOLLOW_UP,
  fillIn,
  formDevice,
  openDeviceForm,
  optionsOf,
  save,
  selectField,
  textField,
  type,
} from '@test/open-device-form';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { devicesQuery } from '@/api/devices';
import type { DeviceList } from '@/api/schema.gen';
import { dayOf } from '@/browser/days';

const TECH = { ...session, role: 'OEM::ProlitecCommercial::CspTech', can: ['devices.view', 'devices.add'] } as const;

test('the fields are in the specified order, and required fields are marked', async () => {
  openDeviceForm('/devices/add');
  await textField('Customer');
  const fields = [...document.querySelectorAll<HTMLInputElement>('form input:not([type=hidden])')];
  expect(fields.map(({ labels, required }) => [labels?.[0]?.textContent, required])).toEqual([
    ['Customer *', true],
    ['CSP *', true],
    ['Service Area *', true],
    ['Customer ID', false],
    ['Store Number', false],
    ['Install Date', false],
    ['Serial Number *', true],
    ['DSN *', true],
    ['System Configuration *', true],
    ['Fragrance *', true],
    ['Latitude', false],
    ['Longitude', false],
    ['Time Zone *', true],
    ['Country *', true],
    ['State/Province', false],
    ['City *', true],
  ]);
  expect(document.title).toBe('Sillage - Add Device');
});

test('a new device has the first system configuration and the time zone of the browser', async () => {
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ timeZone: 'Europe/Oslo' } as never);
  openDeviceForm('/devices/add');
  expect(await selectField('System Configuration')).toHaveValue('AQ200 Series 500 mL');
  expect(await selectField('Time Zone')).toHaveValue('Europe/Oslo');
  expect(await optionsOf('System Configuration')).toEqual([
    'AQ200 Series 500 mL',
    'AQ300 Series 500 mL',
    'AQ500 Series 500 mL',
    'AQ800 Series 1250 mL',
    'AQ800 Series 2500 mL',
    'AQ1200 Series 1250 mL',
    'AQ1200 Series 2500 mL',
  ]);
});

test('the choices are those of the server', async () => {
  openDeviceForm('/devices/add');
  expect(await optionsOf('CSP')).toEqual(['AirCo', 'Northlight Scents']);
  expect(await optionsOf('Fragrance')).toEqual(['Blue Cypress', 'White Tea']);
  expect(await optionsOf('Time Zone')).toEqual(['America/Chicago', 'America/New_York', 'Europe/Oslo', 'UTC']);
});

test('a time zone is found by its common name', async () => {
  openDeviceForm('/devices/add');
  const zone = await selectField('Time Zone');
  await userEvent.clear(zone);
  await userEvent.type(zone, 'new york');
  expect(await optionsOf('Time Zone')).toEqual(['America/New_York']);
});

test('a technician has no CSP field and sends no CSP', async () => {
  const { api } = openDeviceForm('/devices/add', {}, { ...TECH, can: [...TECH.can] });
  await type('Customer', 'Harbor Hotels');
  expect(screen.queryByRole('combobox', { name: 'CSP' })).not.toBeInTheDocument();
  await type('Service Area', 'Lobby');
  await type('Serial Number', 'PL-20310');
  await type('DSN', DSN);
  await choose('Fragrance', 'White Tea');
  await choose('Time Zone', 'UTC');
  await choose('Country', 'Norway');
  await type('City', 'Oslo');
  await save();
  await screen.findByText('Successfully added device');
  expect(api.calls.find((call) => call.method === 'POST')?.body).not.toHaveProperty('csp');
  expect(api.count('GET /api/csps/all')).toBe(0);
});

test('an added device is announced, read again, and shown on its page and in the lists', async () => {
  const { api, router, queryClient } = openDeviceForm('/devices/add', {
    [FOLLOW_UP]: () => ok(formDevice({ fragranceRemaining: 97 })),
  });
  const key = devicesQuery({ page: 1 }).queryKey;
  queryClient.setQueryData<DeviceList>(key, deviceList([device({ fragranceRemaining: 3 })]));
  await fillIn();
  await type('Latitude', '59.9');
  await type('Longitude', '-10.75');
  await save();
  expect(await screen.findByText('Successfully added device')).toBeVisible();
  expect(await screen.findByRole('heading', { name: 'PL-20310' })).toBeVisible();
  expect(router.state.location.pathname).toBe(`/devices/${DSN}`);
  expect(api.calls.find((call) => call.method === 'POST')?.body).toEqual({
    customer: 'Harbor Hotels',
    csp: 'AirCo',
    serviceArea: 'Lobby',
    customerId: '',
    storeNumber: '',
    installedAt: dayOf(new Date()),
    serialNumber: 'PL-20310',
    dsn: DSN,
    systemConfiguration: 'AQ290',
    fragrance: 'White Tea',
    latitude: 59.9,
    longitude: -10.75,
    timeZone: 'America/Chicago',
    country: 'Norway',
    state: '',
    city: 'Oslo',
  });
  expect(api.count(FOLLOW_UP)).toBe(1);
  expect(await screen.findByText('97%')).toBeVisible();
  expect(queryClient.getQueryData<DeviceList>(key)?.devices[0]?.fragranceRemaining).toBe(97);
  expect(queryClient.getQueryState(key)?.isInvalidated).toBe(true);
});

test('the device is added even if the read afterwards fails', async () => {
  const log = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  openDeviceForm('/devices/add', { [FOLLOW_UP]: () => problem(502, 'cloud_failed', { detail: 'Out of order' }) });
  await fillIn();
  await save();
  expect(await screen.findByText('Successfully added device')).toBeVisible();
  await waitFor(() => expect(log).toHaveBeenCalledWith(expect.stringContaining(DSN), 'Out of order'));
  expect(screen.queryByText(/^Failed/)).not.toBeInTheDocument();
});

test('missing values are field errors, the first field gets the focus, and nothing is sent', async () => {
  const { api } = openDeviceForm('/devices/add');
  await type('Customer', 'Harbor Hotels');
  await type('Latitude', '91');
  await save();
  for (const name of ['Service Area', 'Serial Number', 'DSN', 'City']) {
    expect(await textField(name), name).toHaveAccessibleDescription('Required');
  }
  for (const name of ['CSP', 'Fragrance', 'Country']) {
    expect(await selectField(name), name).toHaveAccessibleDescription('Required');
  }
  expect(await textField('Customer')).not.toHaveAccessibleDescription();
  expect(await textField('Latitude')).toHaveAccessibleDescription('Must be between -90 and 90');
  expect(await textField('Longitude')).toHaveAccessibleDescription('Enter both latitude and longitude');
  expect(await selectField('CSP')).toHaveFocus();
  expect(api.count(ADD)).toBe(0);
});

test('the time zone is empty and required when the server does not offer the zone of the browser', async () => {
  const { api } = openDeviceForm('/devices/add', {
    'GET /api/time-zones': () => Response.json(['Asia/Tokyo', 'Europe/Oslo']),
  });
  expect(await selectField('Time Zone')).toHaveValue('');
  await save();
  expect(await selectField('Time Zone')).toHaveAccessibleDescription('Required');
  await choose('Time Zone', 'Europe/Oslo');
  await save();
  expect(await selectField('Time Zone')).not.toHaveAccessibleDescription();
  expect(api.count(ADD)).toBe(0);
});

test('the setup code field appears when the server requires it, keeps the focus, and is sent', async () => {
  const text = 'Enter the setup code that is printed on the device';
  const errors = { setupCode: [text] };
  let required = true;
  const { api } = openDeviceForm('/devices/add', {
    [ADD]: () =>
      required ? problem(422, 'invalid', { detail: 'Some fields are not valid.', errors }) : ok(formDevice()),
  });
  await fillIn();
  expect(screen.queryByRole('textbox', { name: 'Setup Code' })).not.toBeInTheDocument();
  await save();
  const field = await textField('Setup Code');
  expect(field).toHaveAccessibleDescription(text);
  await waitFor(() => expect(field).toHaveFocus());
  await type('Customer', 'Inn');
  expect(await textField('Customer')).toHaveFocus();

  await type('Setup Code', '7K2M-9QWX-T04B');
  await userEvent.clear(field);
  expect(field).toBeVisible();
  await type('Setup Code', '7K2M-9QWX-T04B');
  required = false;
  await save();
  await screen.findByText('Successfully added device');
  const [first, second] = api.calls.filter((call) => call.method === 'POST');
  expect(first?.body).not.toHaveProperty('setupCode');
  expect(second?.body).toMatchObject({ dsn: DSN, setupCode: '7K2M-9QWX-T04B' });
});

test('server errors are shown at their fields, and the form can be sent again', async () => {
  let refuse = true;
  const errors = { dsn: ['A device with this DSN has already been registered'], city: ['Must be one line of text'] };
  const { router } = openDeviceForm('/devices/add', {
    [ADD]: () =>
      refuse ? problem(422, 'invalid', { detail: 'Some fields are not valid.', errors }) : ok(formDevice()),
  });
  await fillIn();
  await save();
  expect(await screen.findByText('Failed to add device. Some fields are not valid.')).toBeVisible();
  const dsn = await textField('DSN');
  expect(dsn).toHaveAccessibleDescription('A device with this DSN has already been registered');
  expect(dsn).toHaveFocus();
  expect(await textField('City')).toHaveAccessibleDescription('Must be one line of text');
  expect(await textField('Customer')).toHaveValue('Harbor Hotels');
  refuse = false;
  await save();
  await screen.findByText('Successfully added device');
  expect(router.state.location.pathname).toBe(`/devices/${DSN}`);
});

test('saving without a connection shows an error and keeps the input', async () => {
  openDeviceForm('/devices/add', { [ADD]: () => Promise.reject(new TypeError('Failed to fetch')) });
  await fillIn();
  await save();
  expect(await screen.findByText('Failed to add device. The server cannot be reached.')).toBeVisible();
  expect(await textField('Customer')).toHaveValue('Harbor Hotels');
});

test('a user without permission to add devices sees an error and stays signed in', async () => {
  const { router, api } = openDeviceForm('/devices/add', {}, { ...session, can: ['devices.view', 'csps.view'] });
  expect(await screen.findByText('You do not have access to that page.')).toBeVisible();
  expect(router.state.location.pathname).toBe('/devices/add');
  await userEvent.click(screen.getByRole('link', { name: 'Go to Devices' }));
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
  expect(api.count('DELETE /api/session')).toBe(0);
  expect(screen.queryByRole('link', { name: 'Add Device' })).not.toBeInTheDocument();
});

test('a plain sign-in shows no message', async () => {
  fakeApi({ 'GET /api/session': () => ok(null) });
  renderApp('/signin');
  await screen.findByLabelText('Email');
  expect(screen.queryByText('You do not have access to that page.')).not.toBeInTheDocument();
});

test('the list is unchanged after going back from the form or from the added device', async () => {
  const { router } = openDeviceForm('/devices?page_size=25&city=Oslo');
  await userEvent.click(await screen.findByRole('link', { name: 'Add Device' }));
  await textField('Customer');
  await userEvent.click(screen.getByRole('link', { name: 'Cancel' }));
  await screen.findByRole('heading', { name: 'Devices' });
  expect(router.state.location.href).toBe('/devices?page_size=25&city=Oslo');
  await userEvent.click(await screen.findByRole('link', { name: 'Add Device' }));
  await fillIn();
  await save();
  await userEvent.click(await screen.findByRole('link', { name: 'Back' }));
  await screen.findByRole('heading', { name: 'Devices' });
  expect(router.state.location.href).toBe('/devices?page_size=25&city=Oslo');
});

test('a failed read of the choices is reported and can be retried', async () => {
  let fail = true;
  const broken = (rows: unknown) => () => (fail ? problem(500, 'internal') : ok(rows));
  openDeviceForm('/devices/add', {
    'GET /api/csps/all': broken([{ id: '1', name: 'AirCo' }]),
    'GET /api/fragrances': broken([{ name: 'White Tea', sku: 'W', density: 1, flow: {} }]),
    'GET /api/time-zones': broken(['UTC']),
  });
  await type('Customer', 'Harbor Hotels');
  const texts = ['Failed to load CSPs', 'Failed to get fragrances', 'Failed to load time zones'];
  for (const text of texts) expect(screen.getByText(text)).toBeVisible();
  fail = false;
  for (const text of texts) {
    const failure = screen.getByText(text);
    await userEvent.click(failure.parentElement?.querySelector('button') as HTMLButtonElement);
    await waitFor(() => expect(failure).not.toBeInTheDocument());
  }
  expect(await optionsOf('Fragrance')).toEqual(['White Tea']);
  expect(await textField('Customer')).toHaveValue('Harbor Hotels');
});

test('without fragrances or CSPs the field reports what is missing', async () => {
  openDeviceForm('/devices/add', { 'GET /api/csps/all': () => ok([]), 'GET /api/fragrances': () => ok([]) });
  const fragrance = await selectField('Fragrance');
  expect(fragrance).toBeDisabled();
  expect(fragrance).toHaveAttribute('placeholder', 'None yet: see Export / Import');
  expect(await selectField('CSP')).toHaveAttribute('placeholder', 'None yet: add one under CSPs');
});
