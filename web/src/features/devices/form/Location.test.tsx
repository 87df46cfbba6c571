import { openDeviceForm, textField } from '@test/open-device-form';
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

test('a browser that knows no location is not asked for it', async () => {
  locateWith(undefined);
  openDeviceForm('/devices/add');
  await textField('Latitude');
  expect(screen.queryByRole('button', { name: 'Detect Location' })).not.toBeInTheDocument();
});

test('the location fills both fields with six decimals, and is not waited for forever', async () => {
  let options: PositionOptions | undefined;
  locateWith((found, _, asked) => {
    options = asked;
    found({ coords: { latitude: 41.87811234567, longitude: -87.6 } } as GeolocationPosition);
  });
  openDeviceForm('/devices/add');
  await detect();
  expect(await textField('Latitude')).toHaveValue('41.878112');
  expect(await textField('Longitude')).toHaveValue('-87.600000');
  expect(options?.timeout).toBeGreaterThan(0);
  expect(options?.timeout).toBeLessThan(Number.POSITIVE_INFINITY);
});

test.each([
  [1, 'User denied the request for Geolocation.'],
  [2, 'Location information is unavailable.'],
  [3, 'The request to get user location timed out.'],
  [0, 'An unknown error occurred.'],
])('error %i is told in words, until it works', async (code, text) => {
  let works = false;
  locateWith((found, failed) => {
    if (works) found({ coords: { latitude: 1, longitude: 2 } } as GeolocationPosition);
    else failed?.({ code } as GeolocationPositionError);
  });
  openDeviceForm('/devices/add');
  await detect();
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  expect(await textField('Latitude')).toHaveValue('');
  works = true;
  await detect();
  expect(await textField('Latitude')).toHaveValue('1.000000');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('while the location is sought the button says so', async () => {
  locateWith(() => undefined);
  openDeviceForm('/devices/add');
  await detect();
  expect(screen.getByRole('button', { name: 'Detect Location' })).toBeDisabled();
});
