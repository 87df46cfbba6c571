import { ok, problem, session } from '@test/fake-api';
import { csp, cspList, ID, openCsps } from '@test/open-csps';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';

const observer = { ...session, can: session.can.filter((permission) => permission !== 'csps.edit') };

const rowOf = async (name: string) => within((await screen.findByRole('cell', { name })).closest('tr') as HTMLElement);

test('the request follows the URL, ordered by name', async () => {
  const { api } = openCsps('/csps?page=2&name=air&page_size=5', {
    'GET /api/csps': () => ok({ ...cspList([csp()]), total: 6, currentPageNumber: 2 }),
  });
  expect(await screen.findByText('CSPs 6 - 6 of 6')).toBeVisible();
  const [list] = api.calls.filter((call) => call.url.pathname === '/api/csps');
  expect(Object.fromEntries(list?.url.searchParams ?? [])).toEqual({
    page: '2',
    pageSize: '5',
    order: 'asc',
    orderBy: 'name',
    name: 'air',
  });
  expect(screen.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
});

test('counts of a CSP are links for any name', async () => {
  const name = 'A & B/C=50% "é"';
  openCsps('/csps', {
    'GET /api/csps': () => ok(cspList([csp({ name, deviceCount: 1, userCount: 3, isFree: false })])),
  });
  const row = await rowOf(name);
  const query = `?csp=${new URLSearchParams({ name }).toString().slice('name='.length)}`;
  const devices = row.getByRole('link', { name: `1 device of ${name}` });
  expect(devices).toHaveTextContent('1');
  expect(devices).toHaveAttribute('href', `/devices${query}`);
  expect(row.getByRole('link', { name: `3 users of ${name}` })).toHaveAttribute('href', `/users${query}`);
});

test('Edit is enabled for an unused CSP; others show the reason', async () => {
  const used = csp({ id: '2', name: 'Used', deviceCount: 2501, userCount: 1, isFree: false });
  const uncounted = csp({ id: '3', name: 'New', deviceCount: null, userCount: null, isFree: false });
  openCsps('/csps', { 'GET /api/csps': () => ok(cspList([csp(), used, uncounted])) });
  expect((await rowOf('AirCo')).getByRole('link', { name: 'Edit AirCo' })).toHaveAttribute('href', `/csps/${ID}`);
  expect((await rowOf('Used')).queryByRole('link', { name: /^Edit/ })).not.toBeInTheDocument();
  expect((await rowOf('Used')).getByText('In use by 2,501 devices and 1 user')).toBeVisible();
  expect((await rowOf('Used')).getByRole('link', { name: '2,501 devices of Used' })).toHaveTextContent('2,501');
  expect((await rowOf('New')).queryByRole('link', { name: /^Edit/ })).not.toBeInTheDocument();
  expect((await rowOf('New')).getByText('In use')).toBeVisible();
  expect((await rowOf('New')).getByRole('link', { name: '– devices of New' })).toHaveTextContent('–');
});

test('users without csps.edit find no controls to change anything', async () => {
  openCsps(
    '/csps',
    {
      'GET /api/csps': () =>
        ok(
          cspList([csp({ can: { edit: false } }), csp({ id: '2', name: 'Used', isFree: false, can: { edit: false } })]),
        ),
    },
    observer,
  );
  await rowOf('AirCo');
  expect(screen.getAllByRole('columnheader').map(({ textContent }) => textContent)).toEqual([
    'Name',
    'Devices',
    'Users',
  ]);
  expect(screen.queryByRole('link', { name: 'Add CSP' })).not.toBeInTheDocument();
  expect(screen.queryByRole('link', { name: /^Edit/ })).not.toBeInTheDocument();
  expect(screen.queryByText(/^In use/)).not.toBeInTheDocument();
});

test.each([
  ['/csps', []],
  ['/csps/add', observer.can],
  [`/csps/${ID}`, observer.can],
] as const)('%s is refused to those who may not open it', async (address, can) => {
  const { api } = openCsps(address, {}, { ...session, can: [...can] });
  expect(await screen.findByText('You do not have access to that page.')).toBeVisible();
  expect(api.calls.filter((call) => call.url.pathname.startsWith('/api/csps'))).toEqual([]);
});

test('a list that cannot be read shows an error and can be retried', async () => {
  let failing = true;
  openCsps('/csps', { 'GET /api/csps': () => (failing ? problem(500, 'internal') : ok(cspList([csp()]))) });
  expect(await screen.findByText('Failed to load CSPs')).toBeVisible();
  failing = false;
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  await rowOf('AirCo');
});

test('the filter is remembered for the next visit', async () => {
  const { router } = openCsps('/csps', {
    'GET /api/csps': ({ url }) => ok(cspList(url.searchParams.has('name') ? [] : [csp()])),
  });
  await userEvent.type(await screen.findByRole('searchbox', { name: 'Filter by name' }), 'zzz');
  // On a busy machine the beginning of the text filters first.
  await waitFor(() => expect(router.state.location.href).toBe('/csps?name=zzz'));
  expect(await screen.findByText('No CSP matches the filter.')).toBeVisible();
  await router.navigate({ to: '/csps/add' });
  await screen.findByRole('heading', { name: 'Add CSP' });
  await router.navigate({ to: '/csps' });
  expect(router.state.location.href).toBe('/csps?name=zzz');
});
