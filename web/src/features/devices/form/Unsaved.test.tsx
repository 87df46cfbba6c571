import { ok, problem, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { DSN, formDevice, openDeviceForm, PAGE, save, textField, type } from '@test/open-device-form';
import { renderApp } from '@test/render-app';
import { cleanup, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const EDIT = `/devices/${DSN}/edit`;
const DRAFT = `draft:${session.user.id}${EDIT}`;
const RESTORED = 'Your unsaved changes were restored';

const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith('draft:'));
const dialog = () => screen.findByRole('dialog', { name: 'Leave without saving?' });

/** Reloads like a browser: everything but the storage is lost. */
async function reload(address: string) {
  cleanup();
  return renderApp(address);
}

test('a link away asks first; Stay stays, Leave leaves', async () => {
  const { router } = openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  await userEvent.click(screen.getByRole('link', { name: 'Cancel' }));
  await dialog();
  await userEvent.click(screen.getByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(await textField('Customer')).toHaveValue('Harbor Inns');
  expect(router.state.location.pathname).toBe(EDIT);
  await userEvent.click(screen.getByRole('link', { name: 'Devices' }));
  await dialog();
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }));
  expect(await screen.findByRole('heading', { name: 'Devices' })).toBeVisible();
});

test('nothing is asked when nothing was changed, or all was taken back', async () => {
  openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  await type('Customer', 'Harbor Hotels');
  await userEvent.click(screen.getByRole('link', { name: 'Cancel' }));
  expect(await screen.findByRole('link', { name: 'Back' })).toBeVisible();
});

test('after a save nothing is asked, and no draft is left', async () => {
  const { router } = openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  expect(drafts()).toEqual([DRAFT]);
  await save();
  await screen.findByText('Successfully updated device');
  await screen.findByRole('link', { name: 'Back' });
  expect(router.state.location.pathname).toBe(`/devices/${DSN}`);
  expect(drafts()).toEqual([]);
});

test('what was typed survives a reload, is said to, and can be discarded', async () => {
  openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  await reload(EDIT);
  expect(await textField('Customer')).toHaveValue('Harbor Inns');
  expect(screen.getByText(RESTORED)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(await textField('Customer')).toHaveValue('Harbor Hotels');
  expect(screen.queryByText(RESTORED)).not.toBeInTheDocument();
  expect(drafts()).toEqual([]);
});

test('a draft holds the fields of the form, and nothing else', async () => {
  openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  const { from, values, ...rest } = JSON.parse(sessionStorage.getItem(DRAFT) ?? '{}');
  expect(rest).toEqual({});
  expect(Object.keys(values)).toHaveLength(15);
  expect(from).toEqual({ ...values, customer: 'Harbor Hotels' });
});

test('what was typed stays when somebody changes the device, whose changes stay, too; another form has none of it', async () => {
  let customer = 'Harbor Hotels';
  openDeviceForm(EDIT, { [PAGE]: () => ok(formDevice({ customer })) });
  await type('City', 'Peoria');
  await reload('/devices/add');
  expect(await textField('City')).toHaveValue('');
  customer = 'Somebody else';
  await reload(EDIT);
  expect(await textField('Customer')).toHaveValue('Somebody else');
  expect(await textField('City')).toHaveValue('Peoria');
  expect(screen.getByText(RESTORED)).toBeVisible();
  await userEvent.click(screen.getByRole('button', { name: 'Discard' }));
  expect(await textField('City')).toHaveValue('Chicago');
  expect(await textField('Customer')).toHaveValue('Somebody else');
});

test('somebody else in the same tab sees nothing of it', async () => {
  let user = session.user;
  openDeviceForm('/devices/add', { 'GET /api/session': () => ok({ ...session, user }) });
  await type('Customer', 'Harbor Inns');
  user = { ...user, id: 'another' };
  await reload('/devices/add');
  expect(await textField('Customer')).toHaveValue('');
});

test('a save that failed leaves the draft', async () => {
  openDeviceForm(EDIT, {
    [`PUT /api/devices/dsns/${DSN}`]: () => problem(502, 'cloud_failed', { detail: 'Out of order' }),
  });
  await type('Customer', 'Harbor Inns');
  await save();
  await screen.findByText('Failed to update device. Out of order');
  await reload(EDIT);
  expect(await textField('Customer')).toHaveValue('Harbor Inns');
});

test('signing out asks, and then forgets what was typed', async () => {
  const { router } = openDeviceForm(EDIT);
  await type('Customer', 'Harbor Inns');
  void router.navigate({ to: '/signout' });
  await dialog();
  await userEvent.click(screen.getByRole('button', { name: 'Leave' }));
  await waitFor(() => expect(drafts()).toEqual([]));
});

test('a session that is over asks nothing', async () => {
  let signedIn = true;
  const { router } = openDeviceForm(EDIT, {
    'GET /api/session': () => ok(signedIn ? session : null),
    'POST /api/jwt/update': () => problem(401, 'not_signed_in'),
  });
  await type('Customer', 'Harbor Inns');
  signedIn = false;
  FakeEventSource.latest.send('end', { reason: 'signed_out' });
  expect(await screen.findByLabelText('Email')).toBeVisible();
  expect(router.state.location.pathname).toBe('/signin');
  expect(drafts()).toEqual([]);
  expect(sessionStorage.getItem('return-url')).toBe(EDIT);
});
