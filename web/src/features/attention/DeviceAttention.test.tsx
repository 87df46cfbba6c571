import { deviceDetail, fakeApi, ok, problem, session } from '@test/fake-api';
import { attentionItem, attentionPage } from '@test/fake-attention';
import { FakeEventSource } from '@test/fake-event-source';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { AttentionItem, Permission } from '@/api/schema.gen';

const DSN = 'AC000W510000001';
const ME = { id: session.user.id, name: 'Tess Tester' };
const EDITOR: Permission[] = ['devices.view', 'attention.view', 'attention.edit'];
const snoozed = attentionItem({
  id: '019aa000-0000-7000-8000-000000000002',
  kind: 'no_use',
  cause: 'clogged',
  evidence: {},
  assignee: ME,
  snoozedUntil: '2126-11-25T10:00:00Z',
  comments: 1,
});

function open(
  items: { now: AttentionItem[] },
  can = EDITOR,
  list = (state: string | null) =>
    ok(attentionPage(items.now.filter(({ snoozedUntil }) => (snoozedUntil === null) === (state === 'open')))),
) {
  const api = fakeApi({
    'GET /api/session': () => ok({ ...session, csp: 'North', can }),
    [`GET /api/devices/dsns/${DSN}`]: () => ok(deviceDetail()),
    'GET /api/attention': ({ url }) => list(url.searchParams.get('state')),
    'GET /api/attention/count': () => ok({ new: 1, high: 0 }),
    [`GET /api/attention/${snoozed.id}/comments`]: () =>
      ok([{ id: '1', at: '2026-11-20T10:00:00Z', author: ME, text: 'Door code 4711' }]),
    'POST /api/attention/update': () => ok({ items: [] }),
  });
  renderApp(`/devices/${DSN}`);
  return api;
}

const section = async () => within(await screen.findByRole('region', { name: 'Needs attention' }));

test('the page of a device shows its open items with cause, assignee, snooze and comments', async () => {
  const api = open({ now: [attentionItem(), snoozed] });
  const [first, second] = (await (await section()).findAllByRole('listitem')) as [HTMLElement, HTMLElement];
  for (const text of ['Runs dry soon', 'At its present use, the cartridge does not last longer.', 'New']) {
    expect(within(first).getByText(text)).toBeVisible();
  }
  for (const text of ['Likely a clogged nozzle.', 'Assigned to Tess Tester', /^Snoozed until /]) {
    expect(within(second).getByText(text)).toBeVisible();
  }
  expect(await within(second).findByText('Door code 4711')).toBeVisible();
  const lists = api.calls.filter(({ url }) => url.pathname === '/api/attention');
  expect(lists.every(({ url }) => url.searchParams.get('dsn') === DSN)).toBe(true);
});

test('an item is taken on the page of its device, and vanishes with its cause', async () => {
  const items = { now: [attentionItem(), snoozed] };
  const api = open(items);
  const actions = (kind: string) => screen.findByRole('group', { name: `Actions for ${kind}, ${DSN}` });
  await userEvent.click(within(await actions('Runs dry soon')).getByRole('button', { name: 'Assign to me' }));
  const body = { ids: [attentionItem().id], assignee: ME.id };
  await waitFor(() => expect(api.calls.find(({ method }) => method === 'POST')?.body).toEqual(body));
  // It is assigned to the reader already.
  const other = within(await actions('Runs, but uses nothing'));
  expect(other.queryByRole('button', { name: 'Assign to me' })).toBeNull();

  items.now = [];
  FakeEventSource.latest.send('attention', {});
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull());
});

test('people who may only look get no actions', async () => {
  const can = { edit: false };
  open({ now: [attentionItem({ can })] }, ['devices.view', 'attention.view']);
  expect(await (await section()).findByText('Runs dry soon')).toBeVisible();
  expect(screen.queryByRole('group', { name: /^Actions for/ })).toBeNull();
});

test('people without access to attention cause no request for items', async () => {
  const api = open({ now: [attentionItem()] }, ['devices.view']);
  await screen.findByRole('region', { name: 'Product' });
  expect(screen.queryByRole('region', { name: 'Needs attention' })).toBeNull();
  expect(api.calls.filter(({ url }) => url.pathname === '/api/attention')).toEqual([]);
});

test('items that could not be loaded are not taken for none', async () => {
  let fails = true;
  open({ now: [] }, EDITOR, (state) =>
    fails ? problem(500, 'internal') : ok(attentionPage(state === 'open' ? [attentionItem()] : [])),
  );
  expect(await screen.findByText('Failed to load items')).toBeVisible();
  fails = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await (await section()).findByText('Runs dry soon')).toBeVisible();
});
