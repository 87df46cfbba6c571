// @vitest-environment jsdom
import { ok, problem } from '@test/fake-api';
import { formDevice, openDeviceForm, PAGE, SAVE, save, textField, type } from '@test/open-device-form';
import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const EDIT = '/devices/AC000W510000001/edit';
const changed = {
  customer: { value: 'Harbor Inns', by: 'kim@example.com', at: '2026-11-20T10:00:00Z' },
  storeNumber: { value: null, by: null, at: null },
};

test('a decision about each changed field lets the next save through', async () => {
  let refused = true;
  const { api } = openDeviceForm(EDIT, {
    [SAVE]: () => (refused ? problem(409, 'changed', { detail: 'Changed.', changed }) : ok(formDevice())),
  });
  await type('Customer', 'Grand Hotel');
  await type('Store Number', 'A-1');
  await save();
  const notice = await screen.findByRole('region', { name: 'Changed by somebody else in the meantime' });
  expect(notice).toHaveFocus();
  const values = within(notice).getAllByRole('definition');
  expect(values.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^Harbor Innskim@example\.com, Nov 20, 2026/),
    'Grand Hotel',
    'Empty',
    'A-1',
  ]);

  await userEvent.click(within(notice).getByRole('button', { name: 'Use theirs: Customer' }));
  expect(await textField('Customer')).toHaveValue('Harbor Inns');
  await userEvent.click(within(notice).getByRole('button', { name: 'Keep mine: Store Number' }));
  expect(notice).not.toBeInTheDocument();
  refused = false;
  await save();
  await waitFor(() => expect(api.calls.filter(({ method }) => method === 'PUT')).toHaveLength(2));
  const [first, second] = api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body);
  expect(first).toEqual({
    customer: 'Grand Hotel',
    storeNumber: 'A-1',
    seen: { customer: formDevice().customer, storeNumber: formDevice().storeNumber ?? '' },
  });
  expect(second).toMatchObject({ storeNumber: 'A-1', seen: { customer: 'Harbor Inns', storeNumber: '' } });
});

test('a restored draft is saved with the values from which it began', async () => {
  openDeviceForm(EDIT);
  await type('Customer', 'Grand Hotel');
  cleanup();
  const { api } = openDeviceForm(EDIT, { [PAGE]: () => ok(formDevice({ customer: 'Harbor Inns', city: 'Peoria' })) });
  await type('City', 'Aurora');
  await save();
  const sent = () => api.calls.find(({ method }) => method === 'PUT')?.body;
  await waitFor(() => expect(sent()).toBeDefined());
  expect(sent()).toEqual({
    customer: 'Grand Hotel',
    city: 'Aurora',
    seen: { customer: formDevice().customer, city: 'Peoria' },
  });
});

test('a discarded draft leaves no seen values behind', async () => {
  openDeviceForm(EDIT);
  await type('Customer', 'Grand Hotel');
  cleanup();
  const { api } = openDeviceForm(EDIT, { [PAGE]: () => ok(formDevice({ customer: 'Harbor Inns' })) });
  await userEvent.click(await screen.findByRole('button', { name: 'Discard' }));
  await type('Customer', 'Spa Hotel');
  await save();
  await waitFor(() => expect(api.calls.some(({ method }) => method === 'PUT')).toBe(true));
  const sent = api.calls.find(({ method }) => method === 'PUT')?.body;
  expect(sent).toEqual({ customer: 'Spa Hotel', seen: { customer: 'Harbor Inns' } });
});
