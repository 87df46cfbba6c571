import { fakeApi, ok, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';

const PAGES = [
  ['/signin', 'Sign in'],
  ['/signup', 'Sign Up'],
  ['/password/reset', 'Reset password'],
  ['/password/set', 'Set password'],
  ['/account/confirm', 'Confirm account'],
  ['/account/email/confirm', 'Confirm new email address'],
] as const;

const links = async () => within(await screen.findByRole('navigation')).getAllByRole('link');

test.each(PAGES)('%s is open to signed-out users and links to sign-in and sign-up', async (address, title) => {
  fakeApi({ 'GET /api/session': () => ok(null) });
  renderApp(address);
  expect(await screen.findByRole('heading', { name: title })).toBeVisible();
  expect(document.title).toBe(`Sillage - ${title}`);
  expect((await links()).map((link) => link.textContent)).toEqual(['Sign in', 'Sign Up']);
});

test.each(PAGES)('%s is open to signed-in users and links back', async (address, title) => {
  fakeApi({ 'GET /api/session': () => ok(session) });
  renderApp(address);
  expect(await screen.findByRole('heading', { name: title })).toBeVisible();
  expect(await screen.findByRole('link', { name: 'Devices' })).toHaveAttribute('href', '/devices');
  expect(screen.queryByRole('link', { name: 'Sign Up' })).not.toBeInTheDocument();
});

test('sign-in links to the forgotten-password and the confirmation page', async () => {
  fakeApi({ 'GET /api/session': () => ok(null) });
  renderApp('/signin');
  expect(await screen.findByRole('link', { name: 'Forgot password?' })).toHaveAttribute('href', '/password/reset');
  expect(screen.getByRole('link', { name: 'Confirm account' })).toHaveAttribute('href', '/account/confirm');
});

test('sign-up explains who creates accounts and has no form', async () => {
  fakeApi({ 'GET /api/session': () => ok(null) });
  renderApp('/signup');
  expect(await screen.findByText(/^Each CSP names an administrator/)).toBeVisible();
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  expect(screen.queryByRole('button')).not.toBeInTheDocument();
});
