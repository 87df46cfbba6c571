import { device, deviceList, ok } from '@test/fake-api';
import { openDevices } from '@test/open-devices';
import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const three = () =>
  ok(deviceList(['AC000W510000001', 'AC2', 'AC3'].map((dsn) => device({ dsn, serialNumber: `S-${dsn.slice(-1)}` }))));

async function open() {
  const app = openDevices('/devices', three);
  await screen.findByText('S-1');
  return app;
}

test('j and k move from row to row and stop at the ends, and Enter opens a row', async () => {
  const { router } = await open();
  for (const [key, row] of [
    ...[
      ['j', 'S-1'],
      ['j', 'S-2'],
      ['j', 'S-3'],
      ['j', 'S-3'],
      ['k', 'S-2'],
    ],
    ...[
      ['{ArrowDown}', 'S-3'],
      ['{ArrowUp}', 'S-2'],
      ['k', 'S-1'],
      ['k', 'S-1'],
    ],
  ] as [string, string][]) {
    await userEvent.keyboard(key);
    expect(screen.getByRole('link', { name: row }), key).toHaveFocus();
  }
  await userEvent.keyboard('{Enter}');
  await screen.findByRole('link', { name: 'Back' });
  expect(router.state.location.pathname).toBe('/devices/AC000W510000001');
});

test('k begins at the end; an arrow without a row scrolls', async () => {
  await open();
  await userEvent.keyboard('{ArrowDown}');
  expect(document.body).toHaveFocus();
  await userEvent.keyboard('k');
  expect(screen.getByRole('link', { name: 'S-3' })).toHaveFocus();
});

test('/ moves to the search field, where keys enter text', async () => {
  await open();
  const search = screen.getByLabelText('Search devices');
  await userEvent.keyboard('/');
  expect(search).toHaveFocus();
  await userEvent.keyboard('j/k');
  expect(search).toHaveFocus();
  expect(search).toHaveValue('j/k');
});

test('no key affects the list behind a dialog', async () => {
  await open();
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.click(screen.getByText('Filter devices'));
  await userEvent.keyboard('j/');
  expect(dialog).toContainElement(document.activeElement as HTMLElement);
});

test('Back focuses the opened row', async () => {
  await open();
  await userEvent.click(screen.getByRole('link', { name: 'S-1' }));
  await userEvent.click(await screen.findByRole('link', { name: 'Back' }));
  expect(await screen.findByRole('link', { name: 'S-1' })).toHaveFocus();
});
