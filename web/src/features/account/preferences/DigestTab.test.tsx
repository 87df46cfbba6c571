import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import type { AttentionDigest } from '@/api/schema.gen';

const SAVE = 'PUT /api/account/digest';
const ASSIGNMENTS = 'PUT /api/account/digest/assignments';
const REMOVE = 'DELETE /api/account/digest';
const NONE: AttentionDigest = { available: true, time: null, assignments: true };
const AT_SEVEN: AttentionDigest = {
  available: true,
  time: { hour: 7, timeZone: 'America/New_York' },
  assignments: true,
};

function open(digest: AttentionDigest, handlers: Record<string, (call: Call) => Response> = {}) {
  vi.spyOn(Intl.DateTimeFormat.prototype, 'resolvedOptions').mockReturnValue({ timeZone: 'Europe/Oslo' } as never);
  const can = [...session.can, 'attention.view'];
  let stored = digest;
  return fakeApi({
    'GET /api/session': () => ok({ ...session, can }),
    'GET /api/account/digest': () => ok(stored),
    [SAVE]: ({ body }) => ok({ available: true, time: body, assignments: true }),
    [REMOVE]: () => {
      stored = { ...stored, time: null };
      return new Response(null, { status: 204 });
    },
    ...handlers,
  });
}

const isWanted = () => screen.findByRole('switch', { name: 'Send me a digest every day' });

test("a digest is turned on for seven o'clock in the zone of the browser, and moved", async () => {
  const api = open(NONE);
  renderApp('/account?tab=digest');
  const wanted = await isWanted();
  expect(wanted).not.toBeChecked();
  await userEvent.click(wanted);
  expect(await screen.findByText('Successfully saved daily digest')).toBeVisible();
  expect(wanted).toBeChecked();
  expect(screen.getByText('Times are in Europe/Oslo.')).toBeVisible();
  await userEvent.click(screen.getByRole('combobox', { name: 'At' }));
  await userEvent.click(await screen.findByRole('option', { name: '6:00 AM', hidden: true }));
  await waitFor(() =>
    expect(api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual([
      { hour: 7, timeZone: 'Europe/Oslo' },
      { hour: 6, timeZone: 'Europe/Oslo' },
    ]),
  );
});

test('another hour keeps the time zone', async () => {
  const api = open(AT_SEVEN);
  renderApp('/account?tab=digest');
  await userEvent.click(await screen.findByRole('combobox', { name: 'At' }));
  await userEvent.click(await screen.findByRole('option', { name: '6:00 AM', hidden: true }));
  await waitFor(() =>
    expect(api.calls.find(({ method }) => method === 'PUT')?.body).toEqual({ hour: 6, timeZone: 'America/New_York' }),
  );
});

test('a digest is turned off', async () => {
  open(AT_SEVEN);
  renderApp('/account?tab=digest');
  const wanted = await isWanted();
  expect(wanted).toBeChecked();
  expect(screen.getByText('Times are in America/New York.')).toBeVisible();
  await userEvent.click(wanted);
  await waitFor(() => expect(wanted).not.toBeChecked());
});

test('a failed save keeps the digest', async () => {
  open(AT_SEVEN, { [REMOVE]: () => problem(500, 'internal', { detail: 'Something went wrong.' }) });
  renderApp('/account?tab=digest');
  const wanted = await isWanted();
  await userEvent.click(wanted);
  expect(await screen.findByText('Failed to save daily digest. Something went wrong.')).toBeVisible();
  await waitFor(() => expect(wanted).toBeChecked());
});

test('a console that sends no mails says so', async () => {
  open({ available: false, time: null, assignments: true });
  renderApp('/account?tab=digest');
  expect(await screen.findByText(/This console sends no mails/)).toBeVisible();
  expect(screen.queryByRole('switch')).not.toBeInTheDocument();
});

test('mails about assigned items are turned off, and a failure keeps them', async () => {
  const answers = [problem(500, 'internal', { detail: 'Out of order' }), ok({ ...NONE, assignments: false })];
  const api = open(NONE, { [ASSIGNMENTS]: () => answers.shift() as Response });
  renderApp('/account?tab=digest');
  const wanted = await screen.findByRole('switch', { name: /^Send me a mail when somebody assigns items to me/ });
  expect(wanted).toBeChecked();
  await userEvent.click(wanted);
  expect(await screen.findByText('Failed to save mails about assigned items. Out of order')).toBeVisible();
  expect(wanted).toBeChecked();
  await userEvent.click(wanted);
  expect(await screen.findByText('Successfully saved mails about assigned items')).toBeVisible();
  expect(wanted).not.toBeChecked();
  expect(api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body)).toEqual([
    { wanted: false },
    { wanted: false },
  ]);
});
