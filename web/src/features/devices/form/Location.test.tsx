import { ok, problem } from '@test/fake-api';
import { choose, DSN, formDevice, openDeviceForm, PAGE, selectField, textField, type } from '@test/open-device-form';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test } from 'vitest';

type Locate = Geolocation['getCurrentPosition'];

function locateWith(getCurrentPosition: Locate | undefined) {
  const value = getCurrentPosition && { getCurrentPosition };
  Object.defineProperty(navigator, 'geolocation', { value, configurable: true });
}

afterEach(() => Reflect.deleteProperty(navigator, 'geolocation'));

const detect = async () => userEvent.click(await screen.findByRole('button', { name: 'Detect Location' }));

test('a browser without geolocation shows no button', async () => {
  locateWith(undefined);
  openDeviceForm('/devices/add');
  await textField('Latitude');
  expect(screen.queryByRole('button', { name: 'Detect Location' })).not.toBeInTheDocument();
});

test('the location fills both fields with six decimals, and the wait for it is limited', async () => {
  let options: PositionOptions | undefined;
  locateWith((found, _, request) => {
    options = request;
    found({ coords: { latitude: 41.87811234567, longitude: -87.6 } } as GeolocationPosition);
  });
  openDeviceForm('/devices/add');
  await detect();
  expect(await textField('Latitude')).toHaveValue('41.878112');
  expect(await textField('Longitude')).toHaveValue('-87.600000');
  expect(options?.timeout).toBeGreaterThan(0);
  expect(options?.timeout).toBeLessThan(Number.POSITIVE_INFINITY);
});

const found = (latitude: number, longitude: number): Locate => {
  return (found) => found({ coords: { latitude, longitude } } as GeolocationPosition);
};

test('a new device gets coordinates, time zone, country and state, and one line names them', async () => {
  locateWith(found(41.8781, -87.6298));
  const { api } = openDeviceForm('/devices/add');
  await detect();
  const line = 'Filled in from your position: coordinates, time zone, country, state or province.';
  expect(await screen.findByText(line)).toBeVisible();
  expect(await selectField('Time Zone')).toHaveValue('America/Chicago');
  expect(await selectField('Country')).toHaveValue('United States');
  expect(await selectField('State/Province')).toHaveValue('IL - Illinois');
  expect(await textField('City')).toHaveValue('');
  expect(screen.getByText('The city is not known from a position: please enter it.')).toBeVisible();
  const request = api.calls.find(({ url }) => url.pathname === '/api/places');
  expect(request?.url.search).toBe('?latitude=41.8781&longitude=-87.6298');
});

test('a chosen time zone is kept, and the line reports it', async () => {
  locateWith(found(41.8781, -87.6298));
  openDeviceForm('/devices/add');
  await choose('Time Zone', 'Europe/Oslo');
  await type('City', 'Chicago');
  await detect();
  const line = 'Filled in from your position: coordinates, country, state or province. Not changed: time zone.';
  expect(await screen.findByText(line)).toBeVisible();
  expect(screen.queryByText(/The city is not known/)).not.toBeInTheDocument();
  expect(await selectField('Time Zone')).toHaveValue('Europe/Oslo');
});

test('a time zone chosen while the position is looked up stays', async () => {
  locateWith(found(41.8781, -87.6298));
  let answer: (response: Response) => void = () => undefined;
  openDeviceForm('/devices/add', { 'GET /api/places': () => new Promise((resolve) => (answer = resolve)) });
  await detect();
  expect(await textField('Latitude')).toHaveValue('41.878100');
  await choose('Time Zone', 'Europe/Oslo');
  answer(ok({ timeZone: 'America/Chicago', countryCode: 'US', stateCode: 'IL' }));
  expect(await screen.findByText(/Not changed: time zone\./)).toBeVisible();
  expect(await selectField('Time Zone')).toHaveValue('Europe/Oslo');
});

test('a second detection replaces what the first filled in', async () => {
  const places = [
    { timeZone: 'Europe/Oslo', countryCode: 'NO', stateCode: null },
    { timeZone: 'America/Chicago', countryCode: 'US', stateCode: 'IL' },
  ];
  locateWith(found(1, 2));
  openDeviceForm('/devices/add', { 'GET /api/places': () => ok(places.pop()) });
  await detect();
  await screen.findByText(/state or province/);
  await detect();
  expect(await screen.findByText('Filled in from your position: coordinates, time zone, country.')).toBeVisible();
  expect(await selectField('Time Zone')).toHaveValue('Europe/Oslo');
  expect(await selectField('Country')).toHaveValue('Norway');
  expect(await selectField('State/Province')).toHaveValue('');
});

test('a stored default zone is replaced, other stored values are kept', async () => {
  locateWith(found(41.8781, -87.6298));
  openDeviceForm(`/devices/${DSN}/edit`, {
    [PAGE]: () => ok(formDevice({ timeZone: 'UTC', country: 'Norway', state: null })),
  });
  await detect();
  const line = 'Filled in from your position: coordinates, time zone. Not changed: country.';
  expect(await screen.findByText(line)).toBeVisible();
  expect(await selectField('Time Zone')).toHaveValue('America/Chicago');
  expect(await selectField('Country')).toHaveValue('Norway');
});

test('a failed look-up keeps the coordinates and asks for the rest', async () => {
  locateWith(found(41.8781, -87.6298));
  openDeviceForm('/devices/add', { 'GET /api/places': () => problem(429, 'too_many_requests') });
  await detect();
  const text = 'The time zone and country of your position could not be read. Please choose them.';
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  expect(await textField('Latitude')).toHaveValue('41.878100');
  expect(screen.queryByText(/Filled in/)).not.toBeInTheDocument();
});

test('typing into a searchable field replaces the shown choice', async () => {
  openDeviceForm(`/devices/${DSN}/edit`);
  const zone = await selectField('Time Zone');
  await userEvent.click(zone);
  await userEvent.keyboard('Oslo');
  expect(zone).toHaveValue('Oslo');
  await userEvent.click(screen.getByRole('option', { name: 'Europe/Oslo', hidden: true }));
  expect(zone).toHaveValue('Europe/Oslo');
  await userEvent.click(zone);
  await userEvent.keyboard('New');
  expect(zone).toHaveValue('New');
});

test.each([
  [1, 'User denied the request for Geolocation.'],
  [2, 'Location information is unavailable.'],
  [3, 'The request to get user location timed out.'],
  [0, 'An unknown error occurred.'],
])('error %i shows a text until a retry succeeds', async (code, text) => {
  let works = false;
  locateWith((found, failed) => {
    if (works) found({ coords: { latitude: 1, longitude: 2 } } as GeolocationPosition);
    else failed?.({ code } as GeolocationPositionError);
  });
  openDeviceForm('/devices/add');
  await detect();
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  expect(screen.queryAllByText(/^Allow this site to use your location/)).toHaveLength(code === 1 ? 1 : 0);
  expect(await textField('Latitude')).toHaveValue('');
  works = true;
  await detect();
  expect(await textField('Latitude')).toHaveValue('1.000000');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('the button shows that the location is being detected', async () => {
  locateWith(() => undefined);
  openDeviceForm('/devices/add');
  await detect();
  expect(screen.getByRole('button', { name: 'Detect Location' })).toBeDisabled();
});
