import { ok, problem, session } from '@test/fake-api';
import {
  choose,
  DSN,
  FOLLOW_UP,
  formDevice,
  openDeviceForm,
  optionsOf,
  PAGE,
  SAVE,
  save,
  selectField,
  textField,
  type,
} from '@test/open-device-form';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const EDIT = `/devices/${DSN}/edit`;
test('the form shows the device, whose dsn is fixed', async () => {
  openDeviceForm(EDIT);
  const dsn = await textField('DSN');
  expect(dsn).toHaveValue(DSN);
  expect(dsn).toHaveAttribute('readonly');
  expect(await textField('Customer')).toHaveValue('Harbor Hotels');
  expect(await textField('Latitude')).toHaveValue('41.8781');
  expect(await selectField('CSP')).toHaveValue('AirCo');
  expect(await selectField('Country')).toHaveValue('United States');
  expect(await selectField('State/Province')).toHaveValue('IL - Illinois');
  expect(document.title).toBe('Sillage - Edit PL-20310');
});

test('saving returns to the device page, whose Back leads to the list', async () => {
  const saved = formDevice({ customer: 'Harbor Inns' });
  const { api, router } = openDeviceForm('/devices?page_size=25', {
    'GET /api/devices': () =>
      ok({ devices: [formDevice()], total: 1, currentPageNumber: 1, asOf: '', statesAsOf: '', source: 'index' }),
    [PAGE]: () => ok(api.count(SAVE) === 0 ? formDevice() : saved),
    [SAVE]: () => ok(saved),
    [FOLLOW_UP]: () => ok(saved),
  });
  await userEvent.click(await screen.findByRole('link', { name: 'PL-20310' }));
  await userEvent.click(await screen.findByRole('link', { name: 'Edit' }));
  await type('Customer', 'Harbor Inns');
  await save();
  expect(await screen.findByText('Successfully updated device')).toBeVisible();
  expect(await screen.findByText('Harbor Inns')).toBeVisible();
  expect(router.state.location.pathname).toBe(`/devices/${DSN}`);
  expect(api.calls.find((call) => call.method === 'PUT')?.body).toEqual({
    customer: 'Harbor Inns',
    seen: { customer: 'Harbor Hotels' },
  });
  expect(api.count(FOLLOW_UP)).toBe(1);
  await userEvent.click(screen.getByRole('link', { name: 'Back' }));
  await screen.findByRole('heading', { name: 'Devices' });
  expect(router.state.location.href).toBe('/devices?page_size=25');
});

test('a form that was opened by its address leads to the device, saved or not', async () => {
  const { router } = openDeviceForm(EDIT);
  await textField('Customer');
  expect(screen.getByRole('link', { name: 'Cancel' })).toHaveAttribute('href', `/devices/${DSN}`);
  await save();
  await screen.findByRole('link', { name: 'Back' });
  expect(router.state.location.pathname).toBe(`/devices/${DSN}`);
});

test('a partial save shows its progress and keeps the draft', async () => {
  const detail = 'Fragrance was not saved: Out of order. Already saved: Customer.';
  openDeviceForm(EDIT, {
    [SAVE]: () => problem(502, 'cloud_failed', { detail, errors: { fragrance: ['Out of order'] } }),
  });
  await type('Customer', 'Harbor Inns');
  await choose('Fragrance', 'Blue Cypress');
  await save();
  expect(await screen.findByText(`Failed to update device. ${detail}`)).toBeVisible();
  const fragrance = await selectField('Fragrance');
  expect(fragrance).toHaveAccessibleDescription('Out of order');
  expect(fragrance).toHaveFocus();
  expect(fragrance).toHaveValue('Blue Cypress');
  expect(await textField('Customer')).toHaveValue('Harbor Inns');
});

test('a stored value that is no longer a choice can be kept', async () => {
  const odd = {
    csp: 'Gone Air',
    fragrance: 'Old Rose',
    systemConfiguration: 'AQ9',
    timeZone: 'US/Old',
    country: 'US',
    state: 'IL',
  };
  const { api } = openDeviceForm(EDIT, { [PAGE]: () => ok(formDevice(odd)) });
  const fields = { CSP: odd.csp, Fragrance: odd.fragrance, 'System Configuration': odd.systemConfiguration };
  for (const [name, value] of Object.entries({ ...fields, 'Time Zone': odd.timeZone, 'State/Province': odd.state })) {
    expect(await selectField(name), name).toHaveValue(value);
    expect(await optionsOf(name), name).toContain(value);
  }
  await save();
  await screen.findByText('Successfully updated device');
  expect(api.calls.find((call) => call.method === 'PUT')?.body).toEqual({ seen: {} });
});

test('a device without time zone and system configuration is not saved: both are required', async () => {
  const missing = { timeZone: null, systemConfiguration: null, systemConfigurationLabel: null };
  const { api } = openDeviceForm(EDIT, { [PAGE]: () => ok(formDevice(missing)) });
  for (const name of ['Time Zone', 'System Configuration']) expect(await selectField(name), name).toHaveValue('');
  await save();
  for (const name of ['Time Zone', 'System Configuration']) {
    expect(await selectField(name), name).toHaveAccessibleDescription('Required');
  }
  expect(await selectField('Fragrance')).not.toHaveAccessibleDescription();
  expect(api.count(SAVE)).toBe(0);
  await choose('Time Zone', 'Europe/Oslo');
  await choose('System Configuration', 'AQ300 Series 500 mL');
  await save();
  await screen.findByText('Successfully updated device');
  expect(api.calls.find((call) => call.method === 'PUT')?.body).toEqual({
    timeZone: 'Europe/Oslo',
    systemConfiguration: 'AQ380',
    seen: { timeZone: '', systemConfiguration: '' },
  });
});

test('the regions are those of the country, and another country clears the region', async () => {
  openDeviceForm(EDIT);
  expect(await optionsOf('State/Province')).toContain('WI - Wisconsin');
  await choose('Country', 'Mexico');
  expect(await selectField('State/Province')).toHaveValue('');
  const regions = await optionsOf('State/Province');
  expect(regions).toContain('Jalisco');
  expect(regions).not.toContain('IL - Illinois');
  expect(regions).not.toContain('Illinois');
});

test('a region can be cleared, also by keyboard', async () => {
  const { api } = openDeviceForm(EDIT);
  (await selectField('State/Province')).focus();
  await userEvent.tab();
  expect(screen.getByRole('button', { name: 'Clear State/Province' })).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  expect(await selectField('State/Province')).toHaveValue('');
  expect(await selectField('State/Province')).toHaveFocus();
  await save();
  await screen.findByText('Successfully updated device');
  expect(api.calls.find((call) => call.method === 'PUT')?.body).toEqual({ state: '', seen: { state: 'Illinois' } });
});

test('no region can be chosen without a country', async () => {
  openDeviceForm(EDIT, { [PAGE]: () => ok(formDevice({ country: null, state: null })) });
  const state = await selectField('State/Province');
  expect(state).toBeDisabled();
  expect(state).toHaveAttribute('placeholder', 'Choose a country first');
});

test('users who may not edit see everything but cannot change it', async () => {
  const can = { edit: false, copy: false, resetLevel: false };
  openDeviceForm(EDIT, { [PAGE]: () => ok(formDevice({ can })) }, { ...session, can: ['devices.view', 'csps.view'] });
  expect(await screen.findByText('You can view this device but not change it.')).toBeVisible();
  const inputs = [...screen.getAllByRole('textbox'), ...screen.getAllByRole('combobox')];
  expect(inputs).toHaveLength(15);
  for (const input of inputs) expect(input).toBeDisabled();
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
  expect(await selectField('CSP')).toHaveValue('AirCo');
});

test('users who may not edit see no link to the form', async () => {
  openDeviceForm(`/devices/${DSN}`, {
    [PAGE]: () => ok(formDevice({ can: { edit: false, copy: false, resetLevel: false } })),
  });
  await screen.findByRole('heading', { name: 'PL-20310' });
  expect(screen.queryByRole('link', { name: 'Edit' })).not.toBeInTheDocument();
});

test('events do not change typed values', async () => {
  let fragrance = 'White Tea';
  const { queryClient } = openDeviceForm(EDIT, { [PAGE]: () => ok(formDevice({ fragrance })) });
  await type('Customer', 'Harbor Inns');
  fragrance = 'Blue Cypress';
  await queryClient.refetchQueries({ queryKey: ['devices', 'detail', DSN] });
  expect(await textField('Customer')).toHaveValue('Harbor Inns');
  expect(await selectField('Fragrance')).toHaveValue('White Tea');
});

test('only touched fields are sent, and those that a failed save may have stored', async () => {
  let fails = true;
  const { api } = openDeviceForm(EDIT, {
    [SAVE]: () => (fails ? problem(502, 'cloud_failed', { detail: 'Out of order' }) : ok(formDevice())),
  });
  await type('Customer', 'Harbor Inns');
  await type('City', 'Peoria');
  await type('City', 'Chicago');
  await type('Latitude', '41.9');
  await choose('Country', 'Mexico');
  await save();
  await screen.findByText('Failed to update device. Out of order');
  fails = false;
  await type('Customer', 'Harbor Hotels');
  await save();
  await screen.findByText('Successfully updated device');
  const bodies = api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body);
  const location = { latitude: 41.9, longitude: -87.6298, country: 'Mexico', state: '' };
  const place = { latitude: '41.8781', longitude: '-87.6298', country: 'United States', state: 'Illinois' };
  const seen = { customer: 'Harbor Hotels', ...place };
  expect(bodies).toEqual([
    { customer: 'Harbor Inns', ...location, seen },
    { customer: 'Harbor Hotels', ...location, seen },
  ]);
});

test('the form opens on a fresh read instead of cached data', async () => {
  let customer = 'Harbor Hotels';
  let answer: (() => void) | undefined;
  openDeviceForm(`/devices/${DSN}`, {
    [PAGE]: () =>
      customer === 'Harbor Hotels'
        ? ok(formDevice({ customer }))
        : new Promise((resolve) => (answer = () => resolve(ok(formDevice({ customer }))))),
  });
  expect(await screen.findByText('Harbor Hotels')).toBeVisible();
  customer = 'Somebody else';
  await userEvent.click(screen.getByRole('link', { name: 'Edit' }));
  await waitFor(() => expect(answer).toBeDefined());
  expect(screen.getByRole('status', { name: 'Loading' })).toHaveAttribute('aria-busy', 'true');
  answer?.();
  expect(await textField('Customer')).toHaveValue('Somebody else');
});

test('a device that does not exist or is not visible shows a notice', async () => {
  openDeviceForm(EDIT, { [PAGE]: () => problem(404, 'not_found') });
  expect(await screen.findByRole('heading', { name: 'Device not found' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Back' })).toHaveAttribute('href', '/devices');
});

test('a device that cannot be read can be retried', async () => {
  let fail = true;
  openDeviceForm(EDIT, {
    [PAGE]: () => (fail ? problem(500, 'internal', { detail: 'Out of order' }) : ok(formDevice())),
  });
  expect(await screen.findByText('Out of order')).toBeVisible();
  fail = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await textField('Customer')).toHaveValue('Harbor Hotels');
});

test('the page shows that it is loading until all data is read', async () => {
  let answer: (response: Response) => void = () => undefined;
  openDeviceForm(EDIT, { 'GET /api/time-zones': () => new Promise((resolve) => (answer = resolve)) });
  await waitFor(() => expect(screen.getByRole('status', { name: 'Loading' })).toHaveAttribute('aria-busy', 'true'));
  answer(ok(['America/Chicago']));
  expect(await selectField('Time Zone')).toHaveValue('America/Chicago');
});
