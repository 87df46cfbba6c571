import { deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { DeviceNotification } from '@/api/schema.gen';

const DSN = 'AC000W510000001';
const PAGE = `GET /api/devices/dsns/${DSN}`;
const LIST = `GET /api/devices/dsns/${DSN}/notifications`;
const ADD = `POST /api/devices/dsns/${DSN}/notifications`;
const EDIT = `PUT /api/devices/dsns/${DSN}/notifications/a1`;
const REMOVE = `DELETE /api/devices/dsns/${DSN}/notifications/a1`;

const JO: DeviceNotification = {
  id: 'a1',
  method: 'email',
  recipient: 'jo@example.com',
  phone: null,
  events: { connected: '1/2', disconnected: null, lowProductLevel: '7' },
};
const PHONE: DeviceNotification = {
  id: 'b2',
  method: 'sms',
  recipient: '+14145550100',
  phone: { country: 'US', number: '(414) 555-0100' },
  events: { connected: null, disconnected: '1/3', lowProductLevel: null },
};

function open(notifications: DeviceNotification[], answers: Record<string, () => Response> = {}) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(deviceDetail()),
    [LIST]: () => ok(notifications),
    ...answers,
  });
  renderApp(`/devices/${DSN}`);
  return api;
}

async function block() {
  return within(await screen.findByRole('region', { name: 'Notifications' }));
}

async function dialog(button: string) {
  await userEvent.click(await (await block()).findByRole('button', { name: button }));
  const title = button === 'Add Notification' ? button : 'Edit Notification';
  const dialog = within(await screen.findByRole('dialog', { name: title }));
  await dialog.findByRole('button', { name: 'Save' });
  return dialog;
}

test('each recipient is a row with its events', async () => {
  open([JO, PHONE]);
  const table = within(await (await block()).findByRole('table', { name: 'Notifications' }));
  const cells = table
    .getAllByRole('row')
    .map((row) => [...row.children].map((cell) => cell.textContent?.replace('–', '')));
  expect(cells).toEqual([
    ['Method', 'Recipient', 'Connected', 'Disconnected', 'Low Product Level', 'Edit', 'Remove'],
    ['Email', 'jo@example.com', 'Yes', 'No', 'Yes', '', ''],
    ['SMS', '+14145550100', 'No', 'Yes', 'No', '', ''],
  ]);
});

test('an empty list shows a text, and users who may not edit see no buttons', async () => {
  open([], { [PAGE]: () => ok(deviceDetail({ can: { edit: false, copy: false, resetLevel: false } })) });
  const empty = await block();
  expect(await empty.findByText('No Notifications')).toBeVisible();
  expect(empty.queryByRole('button')).not.toBeInTheDocument();
});

test('a new number is in the country of the device, or with + in any', async () => {
  open([], { [PAGE]: () => ok(deviceDetail({ country: 'United Kingdom' })) });
  const form = await dialog('Add Notification');
  expect(form.getByRole('combobox', { name: 'Country' })).toHaveValue('United Kingdom (+44)');
  expect(form.getByRole('textbox', { name: 'Phone number' })).toHaveAccessibleDescription(
    'A number with + and the country code is accepted as well, whatever the country.',
  );
});

test('a number of the US is added by default', async () => {
  const api = open([], { [ADD]: () => ok({ notifications: [PHONE], stale: false, undo: null }) });
  const form = await dialog('Add Notification');
  expect(form.getByRole('combobox', { name: 'Method' })).toHaveValue('SMS');
  expect(form.getByRole('combobox', { name: 'Country' })).toHaveValue('United States (+1)');
  await userEvent.type(form.getByRole('textbox', { name: 'Phone number' }), '(414) 555-0100');
  await userEvent.click(form.getByRole('checkbox', { name: 'Disconnected' }));
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Successfully updated notification')).toBeVisible();
  expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual({
    method: 'sms',
    recipient: '(414) 555-0100',
    country: 'US',
    events: { connected: false, disconnected: true, lowProductLevel: false },
  });
  expect(await (await block()).findByText('+14145550100')).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

test('an edit starts with the stored values, and the method cannot change', async () => {
  const api = open([JO], { [EDIT]: () => ok({ notifications: [JO], stale: false, undo: null }) });
  const form = await dialog('Edit notification of jo@example.com');
  expect(form.getByRole('combobox', { name: 'Method' })).toBeDisabled();
  const email = form.getByRole('textbox', { name: 'Email' });
  expect(email).toHaveValue('jo@example.com');
  expect(form.getByRole('checkbox', { name: 'Connected' })).toBeChecked();
  expect(form.getByRole('checkbox', { name: 'Disconnected' })).not.toBeChecked();
  await userEvent.clear(email);
  await userEvent.type(email, 'Front desk');
  await userEvent.click(form.getByRole('checkbox', { name: 'Low Product Level' }));
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('Successfully updated notification');
  expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({
    recipient: 'Front desk',
    events: { lowProductLevel: false },
    seen: { recipient: 'jo@example.com', ...JO.events },
  });
});

test('an edit starts with what the device has when the dialog opens', async () => {
  let stored = [JO, PHONE];
  fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(deviceDetail()),
    [LIST]: () => ok(stored),
  });
  renderApp(`/devices/${DSN}`);
  await (await block()).findByText('jo@example.com');
  stored = [{ ...JO, events: { ...JO.events, disconnected: '1/4' } }];
  const form = await dialog('Edit notification of jo@example.com');
  expect(form.getByRole('checkbox', { name: 'Disconnected' })).toBeChecked();
  await userEvent.click(form.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());

  stored = [PHONE];
  await userEvent.click((await block()).getByRole('button', { name: 'Edit notification of jo@example.com' }));
  const gone = within(await screen.findByRole('dialog', { name: 'Edit Notification' }));
  expect(await gone.findByText('This notification was removed, or has another recipient by now.')).toBeVisible();
  expect(gone.queryByRole('button', { name: 'Save' })).not.toBeInTheDocument();
});

test.each([
  ['Use theirs', 'kim@example.com', {}],
  ['Keep mine', 'jo@example.com', { recipient: 'jo@example.com' }],
])('a recipient that another person changed meanwhile: %s', async (choice, recipient, sent) => {
  const changed = { recipient: { value: 'kim@example.com', by: 'lee@example.com', at: '2026-11-20T10:00:00Z' } };
  let refused = true;
  const api = open([JO], {
    'GET /api/audit': () => ok({ entries: [], next: null }),
    [EDIT]: () =>
      refused
        ? problem(409, 'changed', { detail: 'Changed.', changed })
        : ok({ notifications: [JO], stale: false, undo: null }),
  });
  const form = await dialog('Edit notification of jo@example.com');
  await userEvent.click(form.getByRole('checkbox', { name: 'Disconnected' }));
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  const notice = await form.findByRole('region', { name: 'Changed by somebody else in the meantime' });
  expect(notice).toHaveFocus();
  const values = within(notice).getAllByRole('definition');
  expect(values.map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^kim@example\.comlee@example\.com, Nov 20, 2026/),
    'jo@example.com',
  ]);
  await userEvent.click(within(notice).getByRole('button', { name: `${choice}: Email` }));
  expect(form.getByRole('textbox', { name: 'Email' })).toHaveValue(recipient);
  refused = false;
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  await screen.findByText('Successfully updated notification');
  const bodies = api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body);
  const events = { disconnected: true };
  expect(bodies).toEqual([
    { events, seen: { recipient: 'jo@example.com', ...JO.events } },
    { events, ...sent, seen: { recipient: 'kim@example.com', ...JO.events } },
  ]);
});

test('nothing is sent without a recipient and an event', async () => {
  open([]);
  const form = await dialog('Add Notification');
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  expect(form.getByRole('textbox', { name: 'Phone number' })).toHaveFocus();
  expect(form.getByText('Required')).toBeVisible();
  expect(form.getByText('Select at least one event')).toBeVisible();
  await userEvent.type(form.getByRole('textbox', { name: 'Phone number' }), '1');
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  expect(form.getByRole('checkbox', { name: 'Connected' })).toHaveFocus();
});

test('a field error of the server is shown at its field', async () => {
  open([], {
    [ADD]: () =>
      problem(422, 'invalid', {
        detail: 'Some values are not valid.',
        errors: { recipient: ['Invalid phone number'] },
      }),
  });
  const form = await dialog('Add Notification');
  const number = form.getByRole('textbox', { name: 'Phone number' });
  await userEvent.type(number, '12');
  await userEvent.click(form.getByRole('checkbox', { name: 'Connected' }));
  await userEvent.click(form.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Failed to save notification: Some values are not valid.')).toBeVisible();
  expect(number).toHaveAccessibleDescription(/^Invalid phone number /);
  expect(number).toHaveFocus();
});

test('a removal acts at once', async () => {
  const api = open([JO, PHONE], {
    [REMOVE]: () => ok({ notifications: [PHONE], stale: false, undo: null }),
  });
  const rows = await block();
  await userEvent.click(await rows.findByRole('button', { name: 'Remove notification of jo@example.com' }));
  expect(await screen.findByText('Successfully removed notification')).toBeVisible();
  expect(rows.queryByText('jo@example.com')).not.toBeInTheDocument();
  await waitFor(() => expect(rows.getAllByRole('button', { name: /^(Edit|Remove) notification/ })[0]).toHaveFocus());
  expect(api.count(REMOVE)).toBe(1);
});

test('a removal can be undone for 30 seconds, also after a visit to another page', async () => {
  const removed = { notifications: [PHONE], stale: false, undo: { id: 'r1', until: '2026-11-20T12:00:30Z' } };
  const UNDO = `POST /api/devices/dsns/${DSN}/notifications/removals/r1/undo`;
  const left = [JO, PHONE];
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(deviceDetail()),
    [LIST]: () => ok(api.count(REMOVE) > api.count(UNDO) ? [PHONE] : left),
    [REMOVE]: () => ok(removed),
    [UNDO]: () => ok({ notifications: left, stale: false, undo: null }),
  });
  const { router } = renderApp(`/devices/${DSN}`);
  let rows = await block();
  await userEvent.click(await rows.findByRole('button', { name: 'Remove notification of jo@example.com' }));
  expect(await rows.findByText('Removed the notification of jo@example.com')).toBeVisible();
  await act(() => router.navigate({ to: '/devices' }));
  await act(() => router.navigate({ to: '/devices/$dsn', params: { dsn: DSN } }));
  rows = await block();
  await userEvent.click(await rows.findByRole('button', { name: 'Undo' }));
  expect(await rows.findByText('jo@example.com')).toBeVisible();
  expect(await screen.findByText('Restored the notification of jo@example.com')).toBeVisible();
  expect(rows.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();

  vi.useFakeTimers({ shouldAdvanceTime: true });
  fireEvent.click(rows.getByRole('button', { name: 'Remove notification of jo@example.com' }));
  expect(await rows.findByRole('button', { name: 'Undo' })).toBeVisible();
  act(() => void vi.advanceTimersByTime(31_000));
  expect(rows.queryByRole('button', { name: 'Undo' })).not.toBeInTheDocument();
  vi.useRealTimers();
});

test('a failed removal shows the reason, and the list is read again', async () => {
  let left = [JO, PHONE];
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(deviceDetail()),
    [LIST]: () => ok(left),
    [REMOVE]: () =>
      problem(502, 'cloud_failed', { detail: 'Connected was not removed: The device cloud cannot be reached.' }),
  });
  renderApp(`/devices/${DSN}`);
  const rows = await block();
  const remove = await rows.findByRole('button', { name: 'Remove notification of jo@example.com' });
  left = [PHONE];
  await userEvent.click(remove);
  const alert = 'Failed to remove notification: Connected was not removed: The device cloud cannot be reached.';
  expect(await screen.findByText(alert)).toBeVisible();
  await waitFor(() => expect(rows.queryByText('jo@example.com')).not.toBeInTheDocument());
  expect(api.count(LIST)).toBe(2);
  expect(api.count(PAGE)).toBe(1);
});

test('a list that cannot be read shows the reason and can be retried', async () => {
  let fails = true;
  open([JO], {
    [LIST]: () => (fails ? problem(502, 'cloud_failed', { detail: 'The device cloud cannot be reached.' }) : ok([JO])),
  });
  const rows = await block();
  expect(await rows.findByText('The device cloud cannot be reached.')).toBeVisible();
  fails = false;
  await userEvent.click(rows.getByRole('button', { name: 'Retry' }));
  expect(await rows.findByText('jo@example.com')).toBeVisible();
});

test('removing a notification that somebody else removed says so', async () => {
  fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(deviceDetail()),
    [LIST]: () => ok([JO]),
    [REMOVE]: () => problem(404, 'not_found', { detail: 'Not found' }),
  });
  renderApp(`/devices/${DSN}`);
  const rows = await block();
  await userEvent.click(await rows.findByRole('button', { name: 'Remove notification of jo@example.com' }));
  const alert = 'Failed to remove notification: This notification was removed, or has another recipient by now.';
  expect(await screen.findByText(alert)).toBeVisible();
});
