import { ok, problem } from '@test/fake-api';
import { csp, ID, openCsps } from '@test/open-csps';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { t } from '@/i18n/en';

const ADD = 'POST /api/csps';
const ONE = `/csps/${ID}`;
const READ = `GET /api${ONE}`;
const RENAME = `PUT /api${ONE}`;
const REMOVE = `DELETE /api${ONE}`;
const IN_USE = 'Devices or people belong to this CSP.';
const inUse = () => problem(409, 'conflict', { detail: IN_USE });

const name = () => screen.findByRole('textbox', { name: 'Name' });

async function type(text: string) {
  await userEvent.clear(await name());
  await userEvent.paste(text);
}

/** Opens the dialog and confirms. */
async function remove(): Promise<HTMLElement> {
  await press('Remove CSP');
  const dialog = await screen.findByRole('dialog', { name: 'Remove CSP' });
  await userEvent.click(within(dialog).getByRole('button', { name: 'Remove CSP' }));
  return dialog;
}

const press = async (button: string) => userEvent.click(await screen.findByRole('button', { name: button }));

test('a CSP is added, and the list is shown as it was', async () => {
  const { api, router } = openCsps('/csps?name=a');
  await userEvent.click(await screen.findByRole('link', { name: 'Add CSP' }));
  await type('A & B');
  await press('Save');
  expect(await screen.findByText('Successfully added CSP')).toBeVisible();
  await screen.findByRole('heading', { name: 'CSPs' });
  expect(router.state.location.href).toBe('/csps?name=a');
  expect(api.calls.find((call) => call.method === 'POST')?.body).toEqual({ name: 'A & B' });
  expect(api.count('GET /api/csps')).toBeGreaterThan(1);
});

test.each([
  ['no', '', 'Required'],
  ['a blank', '   ', 'Required'],
  ['too long a', 'x'.repeat(256), 'Must be at most 255 characters'],
])('%s name is not sent', async (_, text, error) => {
  const { api } = openCsps('/csps/add');
  if (text) await type(text);
  await press('Save');
  expect(await name()).toHaveAccessibleDescription(error);
  expect(await name()).toHaveFocus();
  expect(api.count(ADD)).toBe(0);
});

test('a duplicate name is a field error', async () => {
  const taken = 'There is a CSP of this name';
  openCsps('/csps/add', { [ADD]: () => problem(409, 'taken', { errors: { name: [taken] } }) });
  await type('AirCo');
  await press('Save');
  expect(await screen.findByText('Failed to create CSP')).toBeVisible();
  expect(await name()).toHaveAccessibleDescription(taken);
  expect(await name()).toHaveValue('AirCo');
});

test('a CSP is renamed', async () => {
  const { api, router } = openCsps(ONE);
  expect(await name()).toHaveValue('AirCo');
  await type('Air & Co');
  await press('Save');
  expect(await screen.findByText('Successfully updated CSP')).toBeVisible();
  await waitFor(() => expect(router.state.location.pathname).toBe('/csps'));
  expect(api.calls.find((call) => call.method === 'PUT')?.body).toEqual({
    name: 'Air & Co',
    seen: { name: 'AirCo' },
  });
});

test('a CSP that somebody else renamed meanwhile is shown with both names', async () => {
  const changed = { name: { value: 'Air Group', by: 'admin@example.com', at: '2026-11-20T12:00:00Z' } };
  const { api } = openCsps(ONE, { [RENAME]: () => problem(409, 'changed', { detail: 'Changed.', changed }) });
  await type('Other');
  await press('Save');
  expect(await screen.findByText('Air Group')).toBeVisible();
  await press(t.form.changed.takeField('Name'));
  expect(await name()).toHaveValue('Air Group');
  expect(api.count(RENAME)).toBe(1);
});

test('a CSP in use is neither renamed nor removed', async () => {
  openCsps(ONE, { [READ]: () => ok(csp({ deviceCount: 2, isFree: false })) });
  expect(await name()).toBeDisabled();
  expect(await name()).toHaveAccessibleDescription(
    'In use by 2 devices. A CSP can be renamed or removed once nothing belongs to it.',
  );
  expect(screen.getByRole('button', { name: 'Save' })).toBeDisabled();
  expect(screen.queryByRole('button', { name: 'Remove CSP' })).not.toBeInTheDocument();
});

test('a CSP that came into use meanwhile shows a notice', async () => {
  openCsps(ONE, { [RENAME]: inUse, [REMOVE]: inUse });
  await type('Other');
  await press('Save');
  expect(await screen.findByText('Failed to update CSP')).toBeVisible();
  expect(await name()).toHaveAccessibleDescription(IN_USE);

  const dialog = await remove();
  expect(await screen.findByText('Failed to remove CSP')).toBeVisible();
  expect(dialog).toHaveTextContent(IN_USE);
});

test('removal asks first and can be cancelled', async () => {
  const { api, router } = openCsps(ONE);
  await press('Remove CSP');
  expect(await screen.findByText('Remove the CSP AirCo? This action cannot be undone.')).toBeVisible();
  await press('Cancel');
  expect(api.count(REMOVE)).toBe(0);

  await remove();
  expect(await screen.findByText('Successfully removed CSP')).toBeVisible();
  await waitFor(() => expect(router.state.location.pathname).toBe('/csps'));
  expect([api.count(REMOVE), api.count(READ)]).toEqual([1, 1]);
});

test('a missing CSP shows a notice', async () => {
  openCsps(ONE, { [READ]: () => problem(404, 'not_found') });
  expect(await screen.findByRole('heading', { name: 'Failed to load CSP' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Back' })).toHaveAttribute('href', '/csps');
  expect(screen.queryByRole('button', { name: 'Retry' })).not.toBeInTheDocument();
});

test('a CSP that cannot be read can be retried', async () => {
  let failing = true;
  openCsps(ONE, { [READ]: () => (failing ? problem(500, 'internal', { detail: 'Out of order' }) : ok(csp())) });
  expect(await screen.findByRole('heading', { name: 'Failed to load CSP' })).toBeVisible();
  expect(screen.getByText('Out of order')).toBeVisible();
  failing = false;
  await press('Retry');
  expect(await name()).toHaveValue('AirCo');
});
