import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect } from 'vitest';
import type { DeviceDetail, ScheduleForm, ScheduleFrame } from '@/api/schema.gen';
import { missingFrame } from '@/domain/schedule-text';
import { deviceDetail, fakeApi, ok, session } from './fake-api';
import { renderApp } from './render-app';

export const DSN = 'AC000W510000001';
export const ADDRESS = `/devices/${DSN}/edit/schedule`;
export const PAGE = `GET /api/devices/dsns/${DSN}`;
export const SAVE = `PUT /api/devices/dsns/${DSN}/schedule`;

type Part = Partial<Omit<ScheduleFrame, 'number'>>;

export const MORNING: Part = {
  active: true,
  dayOfTheWeek: 9,
  intensity: 20,
  startHour: 6,
  stopHour: 11,
  stopMinute: 59,
};
export const SUNDAY: Part = { active: true, dayOfTheWeek: 7, intensity: 10, startHour: 9, stopHour: 17 };

/** All 21 frames, with these ones changed. */
export function scheduleOf(parts: Record<number, Part> = { 1: MORNING, 2: SUNDAY }): ScheduleFrame[] {
  return Array.from({ length: 21 }, (_, place) => ({ ...missingFrame(place + 1), ...parts[place + 1] }));
}

/** Only the changed frames. */
export function framesOf(parts: Record<number, Part>): ScheduleFrame[] {
  return scheduleOf(parts).filter(({ number }) => number in parts);
}

export function scheduled(part: Partial<DeviceDetail> = {}): DeviceDetail {
  return deviceDetail({ schedule: scheduleOf(), ...part });
}

/** Opens the schedule page; `handlers` override the default responses. */
export function openSchedule(handlers: Parameters<typeof fakeApi>[0] = {}, address = ADDRESS) {
  const api = fakeApi({
    'GET /api/session': () => ok(session),
    [PAGE]: () => ok(scheduled()),
    [SAVE]: () => ok(scheduled()),
    ...handlers,
  });
  const forms = () => api.calls.filter(({ method }) => method === 'PUT').map(({ body }) => body as ScheduleForm);
  return { api, sent: () => forms()[0]?.frames, forms, ...renderApp(address) };
}

/** The texts of a row, without its button. */
export async function row(number: number): Promise<string[]> {
  const button = await screen.findByRole('button', { name: `Edit Schedule ${number}` });
  const cells = [...(button.closest('tr')?.cells ?? [])].slice(0, -1);
  return cells.map(({ innerHTML }) => innerHTML.replaceAll(/(<[^>]*>|\s)+/g, ' ').trim());
}

/** Shows the unused frames, too. */
export async function showAll(): Promise<void> {
  await userEvent.click(await screen.findByRole('button', { name: 'Show all 21 schedules' }));
}

/** Opens the dialog of a frame. */
export async function edit(number: number): Promise<HTMLElement> {
  await screen.findByRole('button', { name: 'Save Schedule' });
  const name = `Edit Schedule ${number}`;
  if (!screen.queryByRole('button', { name })) await showAll();
  await userEvent.click(screen.getByRole('button', { name }));
  return screen.findByRole('dialog', { name: `Edit Schedule ${number}` });
}

export async function toggle(dialog: HTMLElement): Promise<void> {
  await userEvent.click(within(dialog).getByRole('switch', { name: 'Enabled' }));
}

/** Enters a time such as '11:59 PM'; without AM or PM, the current half is kept. */
export async function enter(dialog: HTMLElement, field: string, time: string): Promise<void> {
  const [text = '', half] = time.split(' ');
  await userEvent.clear(within(dialog).getByRole('textbox', { name: field }));
  if (text) await userEvent.paste(text);
  const halves = within(dialog).getByRole('radiogroup', { name: `${field}, AM or PM` });
  if (half) await userEvent.click(within(halves).getByRole('radio', { name: half }));
}

export async function submit(dialog: HTMLElement): Promise<void> {
  await userEvent.click(within(dialog).getByRole('button', { name: 'Done' }));
}

export async function closed(): Promise<void> {
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
}

export async function saveSchedule(): Promise<void> {
  await userEvent.click(await screen.findByRole('button', { name: 'Save Schedule' }));
}
