import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { DeviceDetail } from '@/api/schema.gen';
import { deviceDetail, deviceList, fakeApi, ok, session } from './fake-api';
import { renderApp } from './render-app';

export const DSN = 'AC000W510000001';
export const PAGE = `GET /api/devices/dsns/${DSN}`;
export const ADD = 'POST /api/devices';
export const SAVE = `PUT /api/devices/dsns/${DSN}`;
export const FOLLOW_UP = `POST /api/devices/dsns/${DSN}`;
export const LOOK_UP = `GET /api/devices/base/${DSN}`;

/** A device in the United States with all required values. */
export function formDevice(part: Partial<DeviceDetail> = {}): DeviceDetail {
  return deviceDetail({ country: 'United States', state: 'Illinois', lat: 41.8781, lng: -87.6298, ...part });
}

/** Opens the console at an address of the form; `handlers` override the default responses. */
export function openDeviceForm(address: string, handlers: Parameters<typeof fakeApi>[0] = {}, who = session) {
  const api = fakeApi({
    'GET /api/session': () => ok(who),
    'DELETE /api/session': () => new Response(null, { status: 204 }),
    'GET /api/devices': () => ok(deviceList([])),
    'GET /api/devices/customers': () => ok(['Harbor Hotels', 'Harbor Inns']),
    'GET /api/csps/all': () => ok(['AirCo', 'Northlight Scents'].map((name, id) => ({ id: String(id), name }))),
    'GET /api/fragrances': () =>
      ok(['Blue Cypress', 'White Tea'].map((name) => ({ name, sku: name, density: 1, flow: {} }))),
    'GET /api/time-zones': () => ok(['America/Chicago', 'America/New_York', 'Europe/Oslo', 'UTC']),
    'GET /api/places': () => ok({ timeZone: 'America/Chicago', countryCode: 'US', stateCode: 'IL' }),
    [LOOK_UP]: () => ok({ dsn: DSN, exists: true, registered: false }),
    [PAGE]: () => ok(formDevice()),
    [ADD]: () => Response.json(formDevice(), { status: 201 }),
    [SAVE]: () => ok(formDevice()),
    [FOLLOW_UP]: () => ok(formDevice()),
    ...handlers,
  });
  return { api, ...renderApp(address) };
}

/** The customer is a text with suggestions. */
export const textField = (name: string) => screen.findByRole(name === 'Customer' ? 'combobox' : 'textbox', { name });
export const selectField = (name: string) => screen.findByRole('combobox', { name });

/** Enters a text at once, because typing key by key is slow. */
export async function type(name: string, text: string): Promise<void> {
  await userEvent.clear(await textField(name));
  await userEvent.paste(text);
}

/** The options of an open field. jsdom cannot determine that its list is visible. */
async function openOptions(name: string): Promise<HTMLElement[]> {
  const field = await selectField(name);
  await userEvent.click(field);
  expect(field).toHaveAttribute('aria-expanded', 'true');
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '');
  return within(list as HTMLElement).queryAllByRole('option', { hidden: true });
}

export async function choose(name: string, option: string): Promise<void> {
  const wanted = (await openOptions(name)).find(({ textContent }) => textContent === option);
  if (!wanted) throw new Error(`${name} offers no ${option}`);
  await userEvent.click(wanted);
}

export async function optionsOf(name: string): Promise<(string | null)[]> {
  const options = (await openOptions(name)).map(({ textContent }) => textContent);
  await userEvent.keyboard('{Escape}');
  return options;
}

/** Fills in the required fields of a new device. */
export async function fillIn(): Promise<void> {
  await type('Customer', 'Harbor Hotels');
  await choose('CSP', 'AirCo');
  await type('Service Area', 'Lobby');
  await type('Serial Number', 'PL-20310');
  await type('DSN', DSN);
  await choose('Fragrance', 'White Tea');
  await choose('Time Zone', 'America/Chicago');
  await choose('Country', 'Norway');
  await type('City', 'Oslo');
}

export const save = async () => userEvent.click(await screen.findByRole('button', { name: 'Save' }));
