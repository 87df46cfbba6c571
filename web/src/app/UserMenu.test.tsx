import { device, deviceList, ok } from '@test/fake-api';
import { DSN, openDeviceForm, type } from '@test/open-device-form';
import { openDevices } from '@test/open-devices';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test, vi } from 'vitest';

beforeEach(() => localStorage.clear());

async function open() {
  openDevices('/devices', () => ok(deviceList([device()])));
  return screen.findByRole('link', { name: 'PL-20310' });
}

async function openHelp() {
  const help = within(await screen.findByRole('dialog', { name: 'Keyboard shortcuts' }));
  await help.findByRole('switch');
  return help;
}

async function closeHelp() {
  await userEvent.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
}

test('? shows the shortcuts, except while typing', async () => {
  await open();
  await userEvent.type(screen.getByLabelText('Search devices'), '?');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  screen.getByLabelText('Search devices').blur();
  await userEvent.keyboard('?');
  const help = await openHelp();
  for (const key of ['j', 'k', '/', '?', 'Enter', 'Esc']) expect(help.getByText(key)).toBeInTheDocument();
});

test('the menu opens the shortcuts and gets the focus back afterwards', async () => {
  await open();
  const menu = screen.getByRole('button', { name: 'Account of Dana Hill' });
  await userEvent.click(menu);
  await userEvent.click(await screen.findByRole('button', { name: 'Keyboard shortcuts', hidden: true }));
  await openHelp();
  await closeHelp();
  await waitFor(() => expect(menu).toHaveFocus());
});

test('a phone, which has no keyboard, offers no shortcuts', async () => {
  const { matchMedia } = window;
  vi.spyOn(window, 'matchMedia').mockImplementation((query) => ({
    ...matchMedia(query),
    matches: query.includes('max-width'),
  }));
  openDevices('/devices', () => ok(deviceList([device()])));
  await userEvent.click(await screen.findByRole('button', { name: 'Account of Dana Hill' }));
  expect(await screen.findByRole('link', { name: 'Help', hidden: true })).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Keyboard shortcuts', hidden: true })).not.toBeInTheDocument();
  vi.restoreAllMocks();
});

test('single keys can be turned off, this browser remembers it, and they can be turned on again', async () => {
  const row = await open();
  await userEvent.keyboard('?');
  await userEvent.click((await openHelp()).getByRole('switch', { name: 'Single-key shortcuts' }));
  await closeHelp();
  await userEvent.keyboard('jk/?');
  expect(row).not.toHaveFocus();
  expect(screen.getByLabelText('Search devices')).not.toHaveFocus();
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  expect(localStorage.getItem('shortcuts')).toBe('false');
  // Arrow keys are not letter shortcuts and keep moving between rows.
  row.focus();
  await userEvent.keyboard('{ArrowDown}');
  expect(row).toHaveFocus();

  await userEvent.click(screen.getByRole('button', { name: 'Account of Dana Hill' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Keyboard shortcuts', hidden: true }));
  await userEvent.click((await openHelp()).getByRole('switch', { name: 'Single-key shortcuts' }));
  await closeHelp();
  await userEvent.keyboard('j');
  expect(row).toHaveFocus();
});

test('signing out during an edit closes the menu before the question', async () => {
  openDeviceForm(`/devices/${DSN}/edit`);
  await type('Customer', 'Inn');
  await userEvent.click(screen.getByRole('button', { name: 'Account of Dana Hill' }));
  await userEvent.click(await screen.findByRole('link', { name: 'Sign Out', hidden: true }));
  expect(await screen.findByRole('dialog', { name: 'Leave without saving?' })).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('link', { name: 'Sign Out', hidden: true })).toBeNull());
});

test('an invalid stored value disables nothing', async () => {
  localStorage.setItem('shortcuts', 'maybe');
  const row = await open();
  await userEvent.keyboard('j');
  expect(row).toHaveFocus();
});
