import { device, deviceList, ok } from '@test/fake-api';
import { openDevices } from '@test/open-devices';
import { fireEvent, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';

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

test('Escape leaves the search field with its text, so that the next key is one of the list', async () => {
  await open();
  await userEvent.keyboard('/S');
  await userEvent.keyboard('{Escape}j');
  expect(screen.getByLabelText('Search devices')).toHaveValue('S');
  expect(screen.getByRole('link', { name: 'S-1' })).toHaveFocus();
});

test.each([
  ['Ctrl', { ctrlKey: true }],
  ['⌘', { metaKey: true }],
  ['the middle button', { button: 1 }],
])('a click on a row with %s opens it in a new tab', async (_, init) => {
  const { router } = await open();
  const opened = vi.spyOn(window, 'open').mockReturnValue(null);
  const row = screen.getByRole('link', { name: 'S-2' }).closest('tr') as HTMLElement;
  const click = new MouseEvent('button' in init ? 'auxclick' : 'click', { bubbles: true, ...init });
  fireEvent(row, click);
  expect(opened.mock.calls).toEqual([[expect.stringMatching(/\/devices\/AC2$/), '_blank', 'noopener']]);
  // The link itself is the browser's, and so is the right button.
  fireEvent(screen.getByRole('link', { name: 'S-2' }), new MouseEvent('auxclick', { bubbles: true, button: 1 }));
  fireEvent(row, new MouseEvent('auxclick', { bubbles: true, button: 2 }));
  expect(opened).toHaveBeenCalledTimes(1);
  expect(router.state.location.pathname).toBe('/devices');
  opened.mockRestore();
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
