import { ok, problem } from '@test/fake-api';
import { DSN, fillIn, LOOK_UP, openDeviceForm, save, textField, type } from '@test/open-device-form';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const ADD_PAGE = '/devices/add';
const UNKNOWN = 'No device with that DSN was found';
const TAKEN = 'A device with this DSN has already been registered';

async function leave(dsn: string) {
  await type('DSN', dsn);
  await userEvent.tab();
}

test.each([
  ['is no device', () => ok({ dsn: DSN, exists: false, registered: false }), UNKNOWN],
  ['is not found', () => problem(404, 'not_found'), UNKNOWN],
  ['is somebody’s', () => ok({ dsn: DSN, exists: true, registered: true }), TAKEN],
])('a dsn that %s shows an error when the field loses focus', async (_, answer, text) => {
  const { api } = openDeviceForm(ADD_PAGE, { [LOOK_UP]: answer });
  await type('DSN', DSN);
  expect(api.count(LOOK_UP)).toBe(0);
  await userEvent.tab();
  expect(await screen.findByRole('alert')).toHaveTextContent(text);
  expect(await textField('DSN')).toHaveAccessibleDescription(text);
  expect(api.count(LOOK_UP)).toBe(1);
});

test('a device in stock shows no message and is looked up once', async () => {
  const { api } = openDeviceForm(ADD_PAGE);
  await leave(`  ${DSN} `);
  await waitFor(() => expect(api.count(LOOK_UP)).toBe(1));
  await userEvent.click(await textField('DSN'));
  await userEvent.tab();
  expect(await textField('DSN')).not.toHaveAccessibleDescription();
  expect(api.count(LOOK_UP)).toBe(1);
});

test('an empty field is not looked up, and a dsn is escaped in the path', async () => {
  const { api } = openDeviceForm(ADD_PAGE, {
    'GET /api/devices/base/A%2FB%3F': () => ok({ dsn: 'A/B?', exists: false, registered: false }),
  });
  await leave('   ');
  await leave('A/B?');
  expect(await screen.findByText(UNKNOWN)).toBeVisible();
  expect(api.calls.filter((call) => call.url.pathname.startsWith('/api/devices/base/'))).toHaveLength(1);
});

test.each([
  ['the server cannot be reached', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['the cloud fails', () => problem(502, 'cloud_failed')],
])('when %s no error is shown, and leaving the field looks the dsn up again', async (_, failing) => {
  let fail = true;
  const { api } = openDeviceForm(ADD_PAGE, {
    [LOOK_UP]: () => (fail ? failing() : ok({ dsn: DSN, exists: true, registered: true })),
  });
  await leave(DSN);
  await waitFor(() => expect(api.count(LOOK_UP)).toBe(1));
  expect(await textField('DSN')).not.toHaveAccessibleDescription();
  fail = false;
  await userEvent.click(await textField('DSN'));
  await userEvent.tab();
  expect(await screen.findByText(TAKEN)).toBeVisible();
});

test('a late response does not apply to another dsn', async () => {
  let answer: (response: Response) => void = () => undefined;
  openDeviceForm(ADD_PAGE, { [LOOK_UP]: () => new Promise((resolve) => (answer = resolve)) });
  await leave(DSN);
  await type('DSN', 'AC2');
  answer(ok({ dsn: DSN, exists: false, registered: false }));
  await new Promise((resolve) => setTimeout(resolve));
  expect(screen.queryByText(UNKNOWN)).not.toBeInTheDocument();
});

test("the look-up's error stays beside missing fields; the server decides", async () => {
  const { api } = openDeviceForm(ADD_PAGE, { [LOOK_UP]: () => ok({ dsn: DSN, exists: false, registered: false }) });
  await leave(DSN);
  await screen.findByText(UNKNOWN);
  await save();
  expect(await textField('Customer')).toHaveAccessibleDescription('Required');
  expect(screen.getByText(UNKNOWN)).toBeVisible();
  await fillIn();
  await save();
  expect(await screen.findByText('Successfully added device')).toBeVisible();
  expect(api.count('POST /api/devices')).toBe(1);
});

test('a dsn in lower case is that of the label, in the field and in the request', async () => {
  const lower = DSN.toLowerCase();
  const { api } = openDeviceForm(ADD_PAGE, {
    [`GET /api/devices/base/${lower}`]: () => ok({ dsn: lower, exists: false, registered: false }),
  });
  await leave(lower);
  await waitFor(async () => expect(await textField('DSN')).toHaveValue(DSN));
  expect(screen.queryByText(UNKNOWN)).not.toBeInTheDocument();
  await fillIn();
  // Saved before the field is left.
  await type('DSN', lower);
  await userEvent.keyboard('{Enter}');
  expect(await screen.findByText('Successfully added device')).toBeVisible();
  expect(api.calls.find(({ method, url }) => method === 'POST' && url.pathname === '/api/devices')?.body).toMatchObject(
    {
      dsn: DSN,
    },
  );
});

test('a dsn that exists in lower case keeps it', async () => {
  const lower = DSN.toLowerCase();
  openDeviceForm(ADD_PAGE, {
    [`GET /api/devices/base/${lower}`]: () => ok({ dsn: lower, exists: true, registered: true }),
  });
  await leave(lower);
  expect(await screen.findByText(TAKEN)).toBeVisible();
  expect(await textField('DSN')).toHaveValue(lower);
});
