// @vitest-environment jsdom
import { ok, problem } from '@test/fake-api';
import { formDevice, openDeviceForm, SAVE, save, textField, type } from '@test/open-device-form';
import { screen, waitFor, within } from '@testing-library/react';
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
