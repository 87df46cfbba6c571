import { ok, problem } from '@test/fake-api';
import { DSN, formDevice, openDeviceForm, PAGE, textField, type } from '@test/open-device-form';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const CUSTOMERS = 'GET /api/devices/customers';
const options = () => screen.queryAllByRole('option', { hidden: true }).map(({ textContent }) => textContent);

test('known customers are offered while typing, and an unknown one is called new', async () => {
  const { api } = openDeviceForm('/devices/add', {
    [CUSTOMERS]: ({ url }) => {
      const text = url.searchParams.get('text') ?? '';
      return ok('thistle & co'.includes(text.toLowerCase()) ? ['Thistle & Co'] : []);
    },
  });
  const field = await textField('Customer');
  expect(api.count(CUSTOMERS)).toBe(0);
  await type('Customer', ' THISTLE & CO ');
  await waitFor(() => expect(options()).toEqual(['Thistle & Co']));
  expect(field).not.toHaveAccessibleDescription();

  await type('Customer', 'Thistel');
  await waitFor(() => expect(field).toHaveAccessibleDescription('New customer'));
  expect(options()).toEqual([]);

  await type('Customer', 'this');
  await waitFor(() => expect(options()).toEqual(['Thistle & Co']));
  expect(field).toHaveAccessibleDescription('New customer');
  await userEvent.click(screen.getByRole('option', { name: 'Thistle & Co', hidden: true }));
  expect(field).toHaveValue('Thistle & Co');
  expect(field).not.toHaveAccessibleDescription();
});

test('the customer of the device is not looked up, and a failure offers nothing', async () => {
  const { api } = openDeviceForm(`/devices/${DSN}/edit`, {
    [PAGE]: () => ok(formDevice({ customer: 'Harbor Hotels' })),
    [CUSTOMERS]: () => problem(503, 'not_ready'),
  });
  const field = await textField('Customer');
  await type('Customer', 'Harbor Hotels');
  await type('Customer', 'x'.repeat(70));
  await waitFor(() => expect(api.count(CUSTOMERS)).toBe(1));
  const asked = api.calls.find(({ url }) => url.pathname === '/api/devices/customers');
  expect(asked?.url.searchParams.get('text')).toBe('x'.repeat(64));
  expect(options()).toEqual([]);
  expect(field).toHaveValue('x'.repeat(70));
  expect(field).not.toHaveAccessibleDescription();
});
