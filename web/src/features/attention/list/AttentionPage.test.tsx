import { type Call, fakeApi, ok, problem, session } from '@test/fake-api';
import { attentionItem, attentionPage } from '@test/fake-attention';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { AttentionItem, Permission } from '@/api/schema.gen';

const EDITOR: Permission[] = ['devices.view', 'attention.view', 'attention.edit'];
const second = attentionItem({ id: '019aa000-0000-7000-8000-000000000002', kind: 'empty', evidence: {} });

function open(
  address: string,
  items: AttentionItem[],
  can = EDITOR,
  update: () => Response | Promise<Response> = () => ok({ items: [] }),
) {
  const api = fakeApi({
    'GET /api/session': () => ok({ ...session, can }),
    'GET /api/attention': () => ok(attentionPage(items)),
    'GET /api/attention/count': () => ok({ new: items.length, high: 0, assigned: 3, snoozed: 0 }),
    'GET /api/attention/assignees': () => ok([{ id: '5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11', name: 'Tess Tester' }]),
    [`GET /api/attention/${second.id}/comments`]: () => ok([]),
    'POST /api/attention/update': update,
  });
  return { api, ...renderApp(address) };
}

const bodies = (calls: Call[]) => calls.filter(({ method }) => method === 'POST').map(({ body }) => body);
const actions = () => screen.getByRole('group', { name: 'Actions for the selected items' });
const select = async (name: string) => userEvent.click(await screen.findByRole('checkbox', { name: `Select ${name}` }));
const NAMES = ['Runs dry soon, AC000W510000001', 'Empty, AC000W510000001'];

test('an item shows kind, evidence, likely cause, device and what people have done', async () => {
  const person = { id: '5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11', name: 'Tess Tester' };
  const hidden = { id: null, name: null };
  open('/attention', [
    attentionItem({ acknowledgedAt: '2026-11-20T11:00:00Z', acknowledgedBy: hidden, assignee: person, occurrences: 3 }),
  ]);
  const [, row] = await screen.findAllByRole('row');
  if (!row) throw new Error('no row');
  for (const text of [
    'Runs dry soon',
    'Medium',
    /^Level 12% · was expected to run dry Nov 25/,
    'At its present use, the cartridge does not last longer.',
    'Hotel Aurora, Lobby, Oslo',
    'Acknowledged by somebody of another organization',
    'Assigned to Tess Tester',
    'Opened 3 times',
  ]) {
    expect(within(row).getByText(text)).toBeVisible();
  }
  expect(within(row).getByRole('link')).toHaveAttribute('href', '/devices/AC000W510000001');
  expect(await screen.findByRole('link', { name: /Attention ?3 items assigned to you ?1 new item/ })).toBeVisible();
});

test('selected items are acknowledged, assigned and commented together', async () => {
  const { api } = open('/attention', [attentionItem(), second]);
  const ids = [attentionItem().id, second.id];
  for (const name of NAMES) await select(name);
  await userEvent.click(within(actions()).getByRole('button', { name: 'Acknowledge' }));
  await waitFor(() => expect(bodies(api.calls)).toEqual([{ ids, acknowledged: true }]));
  expect(within(actions()).getByRole('button', { name: 'Acknowledge' })).toBeDisabled();

  for (const name of NAMES) await select(name);
  await userEvent.click(within(actions()).getByRole('button', { name: 'Assign' }));
  const dialog = await screen.findByRole('dialog', { name: 'Assign items' });
  await userEvent.click(within(dialog).getByRole('combobox', { name: 'Person' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Tess Tester', hidden: true }));
  await userEvent.click(within(dialog).getByRole('button', { name: 'Assign' }));
  const assignee = '5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11';
  await waitFor(() => expect(bodies(api.calls).at(-1)).toEqual({ ids, assignee }));

  await select(NAMES[1] ?? '');
  await userEvent.click(within(actions()).getByRole('button', { name: 'Comment' }));
  const comments = await screen.findByRole('dialog', { name: NAMES[1] ?? '' });
  await userEvent.type(within(comments).getByRole('textbox', { name: 'Comment' }), 'On my way');
  await userEvent.click(within(comments).getByRole('button', { name: 'Comment' }));
  await waitFor(() => expect(bodies(api.calls).at(-1)).toEqual({ ids: [second.id], comment: 'On my way' }));
});

test('an item that is selected while others are updated stays selected', async () => {
  const answer = Promise.withResolvers<Response>();
  open('/attention', [attentionItem(), second], EDITOR, () => answer.promise);
  const [first, other] = NAMES.map((name) => ({ name: `Select ${name}` }));
  await select(NAMES[0] ?? '');
  await userEvent.click(within(actions()).getByRole('button', { name: 'Acknowledge' }));
  await select(NAMES[1] ?? '');
  answer.resolve(ok({ items: [] }));
  await waitFor(() => expect(screen.getByRole('checkbox', first)).not.toBeChecked());
  expect(screen.getByRole('checkbox', other)).toBeChecked();
  await waitFor(() => expect(within(actions()).getByRole('button', { name: 'Acknowledge' })).toBeEnabled());
});

test('a failed update keeps the selection and shows the reason', async () => {
  open('/attention', [attentionItem()], EDITOR, () =>
    problem(404, 'not_found', { title: 'There is no such thing here.' }),
  );
  await select(NAMES[0] ?? '');
  await userEvent.click(within(actions()).getByRole('button', { name: 'Acknowledge' }));
  expect(await screen.findByText(/^Failed to update items\. /)).toBeVisible();
  expect(screen.getByRole('checkbox', { name: `Select ${NAMES[0]}` })).toBeChecked();
});

test('filters come from the address, and invalid ones are ignored', async () => {
  const { api } = open('/attention?state=snoozed&kind=lost&severity=high&assignee=me&csp=North', []);
  expect(await screen.findByText('No item matches the filters.')).toBeVisible();
  const [call] = api.calls.filter(({ url }) => url.pathname === '/api/attention');
  const expected = { state: 'snoozed', severity: 'high', assignee: 'me', csp: 'North' };
  expect(Object.fromEntries(call?.url.searchParams ?? [])).toEqual(expected);
});

test('people who may not change items cannot select them', async () => {
  open('/attention', [attentionItem()], ['devices.view', 'attention.view']);
  expect(await screen.findByText('Runs dry soon')).toBeVisible();
  expect(screen.queryByRole('checkbox')).toBeNull();
  expect(screen.queryByRole('group', { name: 'Actions for the selected items' })).toBeNull();
});

test('items are filtered by any person who has some, and by Mine', async () => {
  const person = '5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c11';
  const { router } = open(`/attention?assignee=${person}`, [attentionItem()]);
  expect(await screen.findByRole('button', { name: 'Remove filter Assigned to Tess Tester' })).toBeVisible();
  const mine = screen.getByRole('button', { name: 'Mine · 3' });
  expect(mine).toHaveAttribute('aria-pressed', 'false');
  await userEvent.click(mine);
  await waitFor(() => expect(router.state.location.search).toEqual({ assignee: 'me' }));
  expect(mine).toHaveAttribute('aria-pressed', 'true');
  await userEvent.click(mine);
  await waitFor(() => expect(router.state.location.search).toEqual({}));
  await userEvent.click(screen.getByRole('button', { name: 'Filter' }));
  await userEvent.click(await screen.findByRole('combobox', { name: 'Assigned to' }));
  expect((await screen.findAllByRole('option', { hidden: true })).map(({ textContent }) => textContent)).toEqual([
    'Me',
    'Nobody',
    'Tess Tester',
  ]);
  await userEvent.click(screen.getByRole('option', { name: 'Tess Tester', hidden: true }));
  await userEvent.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.search).toEqual({ assignee: person }));
  expect(screen.getByRole('img', { name: '3 items assigned to you' })).toBeVisible();
});

test('an update names its number of items, and is undone to what each of them had', async () => {
  const ada = { id: '5f0c9a52-7a3e-4d0b-9a43-2a4f1f1f0c12', name: 'Ada' };
  const { api } = open('/attention', [attentionItem({ assignee: ada }), second]);
  for (const name of NAMES) await select(name);
  await userEvent.click(within(actions()).getByRole('button', { name: 'Assign' }));
  const dialog = await screen.findByRole('dialog', { name: 'Assign items' });
  await userEvent.click(within(dialog).getByRole('combobox', { name: 'Person' }));
  await userEvent.click(await screen.findByRole('option', { name: 'Tess Tester', hidden: true }));
  await userEvent.click(within(dialog).getByRole('button', { name: 'Assign' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Undo' }));
  expect(await screen.findByText('2 items restored.')).toBeVisible();
  expect(bodies(api.calls).slice(1)).toEqual([
    { ids: [attentionItem().id], assignee: ada.id },
    { ids: [second.id], assignee: null },
  ]);
  expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull();
});

test('j and k move between items, x selects one, and Escape leaves the search field', async () => {
  open('/attention', [attentionItem(), second]);
  await select(NAMES[0] ?? '');
  const [first, other] = screen.getAllByRole('link', { name: 'AC000W510000001' });
  await userEvent.keyboard('/{Escape}j');
  expect(first).toHaveFocus();
  await userEvent.keyboard('j');
  expect(other).toHaveFocus();
  await userEvent.keyboard('x');
  expect(screen.getByRole('checkbox', { name: `Select ${NAMES[1]}` })).toBeChecked();
  await userEvent.keyboard('kx');
  expect(screen.getByRole('checkbox', { name: `Select ${NAMES[0]}` })).not.toBeChecked();
});
