import { fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const SAVE = 'PUT /api/account/list-preferences';

function open(save: Parameters<typeof fakeApi>[0][string]) {
  const api = fakeApi({ 'GET /api/session': () => ok(session), [SAVE]: save });
  renderApp('/account?tab=csv');
  return api;
}

test('separator and decimal sign are saved when they are chosen', async () => {
  let stored = session.listPreferences;
  const api = open(({ body }) => {
    stored = { ...stored, ...(body as object) };
    return ok(stored);
  });
  const separators = await screen.findByRole('radiogroup', { name: 'Separator' });
  expect(separators).toBeVisible();
  expect(screen.getByRole('radio', { name: 'Comma ,' })).toBeChecked();
  expect(screen.getByRole('radio', { name: '1.5' })).toBeChecked();
  await userEvent.click(screen.getByRole('radio', { name: 'Semicolon ;' }));
  expect(await screen.findByText('Successfully updated CSV files')).toBeVisible();
  await userEvent.click(screen.getByRole('radio', { name: '1,5' }));
  await waitFor(() =>
    expect(api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual([
      { csvSeparator: 'semicolon' },
      { csvDecimalSign: 'comma' },
    ]),
  );
  await waitFor(() => expect(screen.getByRole('radio', { name: '1,5' })).toBeChecked());
  expect(screen.getByRole('radio', { name: 'Semicolon ;' })).toBeChecked();
});

test('a failed save keeps the previous signs', async () => {
  open(() => problem(500, 'internal'));
  await userEvent.click(await screen.findByRole('radio', { name: 'Tab' }));
  expect(await screen.findByText('Failed to save CSV files')).toBeVisible();
  expect(screen.getByRole('radio', { name: 'Comma ,' })).toBeChecked();
});
