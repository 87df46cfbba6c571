import { type Call, device, deviceDetail, deviceList, fakeApi, ok, problem, session } from '@test/fake-api';
import { FakeEventSource } from '@test/fake-event-source';
import { facetsAnswer } from '@test/fake-facets';
import { renderApp } from '@test/render-app';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, expect, test, vi } from 'vitest';

const FACETS = {
  city: { Chicago: 4_377, Boston: 12, 'São Paulo': 3, Oslo: 0 },
  model: { AQ290: 8, AQ2000: 1 },
  mode: { Run: 7, Off: 2 },
  csp: { AirCo: 6, 'Northlight Scents': 3 },
};

type Answer = (call: Call) => Response | Promise<Response>;

function open(address: string, facets: Answer = facetsAnswer(FACETS)) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    'GET /api/devices': () => ok(deviceList([device()])),
    'GET /api/devices/counts': () => ok({ all: 9, online: 4, offline: 3, neverConnected: 2, low: 1, runsDry: 2 }),
    'GET /api/devices/facets': facets,
    'GET /api/devices/dsns/AC000W510000001': () => ok(deviceDetail()),
    'GET /api/csps/all': () => ok([{ id: '1', name: 'AirCo' }]),
  });
  const requests = () =>
    api.calls
      .filter(({ url }) => url.pathname === '/api/devices/facets')
      .map(({ url }) => Object.fromEntries(url.searchParams));
  return { api, requests, ...renderApp(address) };
}

async function openDialog() {
  await userEvent.click(await screen.findByRole('button', { name: 'Filter' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Filter devices' }));
  await dialog.findByRole('button', { name: 'Apply' });
  return dialog;
}

const fieldOf = (dialog: Awaited<ReturnType<typeof openDialog>>, label: string) =>
  dialog.findByRole('combobox', { name: label });

/** The texts of the options, once the values of the last request are shown. */
async function options(label = 'City') {
  const list = await screen.findByRole('listbox', { name: `Values of ${label}`, hidden: true });
  await waitFor(() => expect(list).toHaveAttribute('aria-busy', 'false'));
  return within(list)
    .getAllByRole('option', { hidden: true })
    .map(({ textContent }) => textContent);
}

const option = (name: string) => screen.findByRole('option', { name, hidden: true });
const chips = () => screen.queryAllByRole('button', { name: /^Remove filter / }).map((chip) => chip.textContent);

afterEach(() => {
  vi.restoreAllMocks();
});

test('values are read when the menu opens, with the number of devices beside each', async () => {
  const { requests } = open('/devices');
  const dialog = await openDialog();
  const city = await fieldOf(dialog, 'City');
  expect(city).toHaveAttribute('aria-expanded', 'false');
  expect(requests()).toEqual([]);
  await userEvent.click(city);
  expect(await options()).toEqual(['Chicago 4,377', 'Boston 12', 'São Paulo 3', 'Oslo 0']);
  expect(city).toHaveAttribute('aria-expanded', 'true');
  expect(requests()).toEqual([{ field: 'city', page: '1' }]);
});

test('a value without devices is grey and can be chosen', async () => {
  const { router } = open('/devices');
  const dialog = await openDialog();
  await userEvent.click(await fieldOf(dialog, 'City'));
  expect(await option('Boston 12')).not.toHaveAttribute('data-none');
  const oslo = await option('Oslo 0');
  expect(oslo).toHaveAttribute('data-none', 'true');
  expect(oslo).not.toHaveAttribute('aria-disabled');
  await userEvent.click(oslo);
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.search).toMatchObject({ city: '"Oslo"' }));
});

test('a chosen value is an exact filter, shown without its quotes', async () => {
  const { router, api } = open('/devices');
  const dialog = await openDialog();
  const city = await fieldOf(dialog, 'City');
  await userEvent.click(city);
  await userEvent.click(await option('Boston 12'));
  expect(city).toHaveValue('Boston');
  expect(city).toHaveAttribute('aria-description', 'exact');
  expect(city).toHaveAttribute('aria-expanded', 'false');
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=%22Boston%22'));
  expect(chips()).toEqual(['City:Boston']);
  expect(screen.getByRole('button', { name: 'Remove filter City: Boston' })).toBeVisible();
  await waitFor(() => expect(document.title).toBe('Sillage - Devices: Boston'));
  const request = api.calls.filter(({ url }) => url.pathname === '/api/devices').at(-1);
  expect(request?.url.searchParams.get('city')).toBe('"Boston"');
});

test('an exact filter of a link is the chosen one of all values', async () => {
  const { requests } = open('/devices?city=%22Boston%22');
  await userEvent.click(await fieldOf(await openDialog(), 'City'));
  expect(await options()).toHaveLength(4);
  expect(await option('Boston 12')).toHaveAttribute('aria-selected', 'true');
  expect(await option('Chicago 4,377')).toHaveAttribute('aria-selected', 'false');
  // The filter of the field itself does not limit its values.
  expect(requests()).toEqual([{ field: 'city', page: '1' }]);
});

test('typing searches on the server, once it pauses, and stays a filter by a part', async () => {
  const { router, requests } = open('/devices');
  const dialog = await openDialog();
  const city = await fieldOf(dialog, 'City');
  await userEvent.type(city, 'SAO');
  await waitFor(async () => expect(await options()).toEqual(['São Paulo 3']));
  expect(requests().map(({ text }) => text)).toEqual([undefined, 'SAO']);
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=SAO'));
  expect(chips()).toEqual(['CitySAO']);
  const again = await fieldOf(await openDialog(), 'City');
  expect(again).toHaveValue('SAO');
  expect(again).not.toHaveAttribute('aria-description');
});

test('typing behind a chosen value makes it a part again', async () => {
  const { router } = open('/devices?city=%22Boston%22');
  const dialog = await openDialog();
  await userEvent.type(await fieldOf(dialog, 'City'), '{Backspace}');
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=Bosto'));
});

test('a text that no value contains is still a filter', async () => {
  const { router } = open('/devices');
  const dialog = await openDialog();
  await userEvent.type(await fieldOf(dialog, 'City'), 'Atlantis');
  expect(await screen.findByText('No results')).toBeInTheDocument();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=Atlantis'));
});

const MANY = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`City ${index + 1}`, 100 - index]));

test('further values are read with Show more, until all are shown', async () => {
  const { requests } = open('/devices', facetsAnswer({ city: MANY }));
  await userEvent.click(await fieldOf(await openDialog(), 'City'));
  expect(await options()).toHaveLength(26);
  await userEvent.click(await option('Show more'));
  await option('City 26 75');
  expect(await options()).toHaveLength(51);
  await userEvent.click(await option('Show more'));
  await option('City 60 41');
  expect(screen.queryByRole('option', { name: 'Show more', hidden: true })).not.toBeInTheDocument();
  expect(requests().map(({ page }) => page)).toEqual(['1', '2', '3']);
});

test('arrows, Enter and Escape operate the menu, and Show more leads to the first new value', async () => {
  const { router } = open('/devices', facetsAnswer({ city: MANY }));
  const dialog = await openDialog();
  const city = await fieldOf(dialog, 'City');
  city.focus();
  expect(city).toHaveAttribute('aria-expanded', 'false');
  const active = () => document.getElementById(city.getAttribute('aria-activedescendant') ?? '')?.textContent;
  await userEvent.keyboard('{ArrowDown}');
  await options();
  expect(active()).toBeUndefined();
  await userEvent.keyboard('{ArrowDown}');
  expect(active()).toBe('City 1 100');
  await userEvent.keyboard('{ArrowDown}');
  expect(active()).toBe('City 2 99');
  await userEvent.keyboard('{ArrowUp}{ArrowUp}');
  expect(active()).toBe('Show more');
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(active()).toBe('City 26 75'));
  await userEvent.keyboard('{Escape}');
  expect(city).toHaveAttribute('aria-expanded', 'false');
  expect(screen.getByRole('dialog')).toBeVisible();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}{ArrowDown}{Enter}');
  expect(city).toHaveValue('City 2');
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=%22City+2%22'));
});

test('values count devices that match the other fields of the dialog, also those not applied yet', async () => {
  const { requests } = open('/devices?customer=Harbor&near=59.91,10.75');
  const dialog = await openDialog();
  await userEvent.type(dialog.getByLabelText('DSN'), ' AC00 ');
  await userEvent.type(await dialog.findByLabelText('Remaining at most'), '300');
  await userEvent.click(await fieldOf(dialog, 'City'));
  await options();
  // An invalid value is not applied either.
  const others = { customer: 'Harbor', near: '59.91,10.75', radius: '50', dsn: 'AC00' };
  expect(requests()).toEqual([{ ...others, field: 'city', page: '1' }]);
});

test('the targets of a copy are counted without the copied device', async () => {
  const { requests } = open('/devices/AC000W510000001/copy');
  await userEvent.click(await fieldOf(await openDialog(), 'City'));
  await options();
  expect(requests()).toEqual([{ excludeDsn: 'AC000W510000001', field: 'city', page: '1' }]);
});

test('numbers are read again while the menu is open, when the list changed', async () => {
  const counts = { Boston: 12 };
  const { requests } = open('/devices', () => facetsAnswer({ city: counts })(requestOf('city')));
  await userEvent.click(await fieldOf(await openDialog(), 'City'));
  await option('Boston 12');
  counts.Boston = 13;
  FakeEventSource.latest.send('ready');
  FakeEventSource.latest.send('list');
  await option('Boston 13');
  expect(requests().length).toBeGreaterThan(1);
});

const requestOf = (field: string) => ({ url: new URL(`http://console.test/?field=${field}`) }) as Call;

test('a refused request does not stop free text', async () => {
  const { router } = open('/devices', () => problem(503, 'not_ready'));
  const dialog = await openDialog();
  await userEvent.type(await fieldOf(dialog, 'City'), 'Bos');
  expect(await screen.findByText(/^Failed to load the values. You can type/)).toBeInTheDocument();
  await userEvent.keyboard('{Enter}');
  await waitFor(() => expect(router.state.location.href).toBe('/devices?city=Bos'));
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});

test('after a refused request, codes and CSPs can be chosen without their numbers', async () => {
  const { router } = open('/devices', () => problem(503, 'not_ready'));
  const dialog = await openDialog();
  await userEvent.click(await fieldOf(dialog, 'Mode'));
  await userEvent.click(await option('24/7'));
  await userEvent.click(await fieldOf(dialog, 'CSP'));
  await userEvent.click(await option('AirCo'));
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?csp=AirCo&mode=24%2F7'));
});

test('codes are shown with their labels, searched by them, and those without devices come last', async () => {
  const { router, requests } = open('/devices');
  const dialog = await openDialog();
  const model = await fieldOf(dialog, 'System Configuration');
  await userEvent.click(model);
  const labels = await options('System Configuration');
  expect(labels.slice(0, 3)).toEqual(['AQ200 Series 500 mL 8', 'AQ2000 1', 'AQ300 Series 500 mL 0']);
  expect(labels).toHaveLength(8);
  await userEvent.type(model, 'series 1250');
  await waitFor(async () =>
    expect(await options('System Configuration')).toEqual(['AQ800 Series 1250 mL 0', 'AQ1200 Series 1250 mL 0']),
  );
  expect(requests()).toEqual([{ field: 'model', pageSize: '50', page: '1' }]);
  await userEvent.click(await option('AQ1200 Series 1250 mL 0'));
  expect(model).toHaveValue('AQ1200 Series 1250 mL');
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices?model=AQ1280'));
  expect(chips()).toEqual(['System ConfigurationAQ1200 Series 1250 mL']);
});

test('a CSP is searched on the server, and a text that is none is dropped', async () => {
  const { requests } = open('/devices?csp=AirCo');
  const dialog = await openDialog();
  const csp = await fieldOf(dialog, 'CSP');
  expect(csp).toHaveValue('AirCo');
  await userEvent.click(csp);
  await options('CSP');
  expect(await option('AirCo 6')).toHaveAttribute('aria-selected', 'true');
  await userEvent.keyboard('north');
  await waitFor(async () => expect(await options('CSP')).toEqual(['Northlight Scents 3']));
  expect(requests().at(-1)).toEqual({ field: 'csp', text: 'north', page: '1' });
  await userEvent.tab();
  expect(csp).toHaveValue('AirCo');
});

test('a chosen code can be removed', async () => {
  const { router } = open('/devices?mode=Run');
  const dialog = await openDialog();
  const mode = await fieldOf(dialog, 'Mode');
  expect(mode).toHaveValue('Run');
  await userEvent.clear(mode);
  await userEvent.click(dialog.getByRole('button', { name: 'Apply' }));
  await waitFor(() => expect(router.state.location.href).toBe('/devices'));
});
