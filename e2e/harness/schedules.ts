import type { APIRequestContext, Page } from '@playwright/test';
import type { DeviceView, ScheduleFrame } from '../../web/src/api/schema.gen';
import { missingFrame, readSchedule } from '../../web/src/domain/schedule-text';
import { ScheduleScreen } from '../screens/schedule-page';
import { expect } from './fixtures';
import { type Fleet, readDevice } from './fleet';

export type Part = Partial<Omit<ScheduleFrame, 'number'>>;

export const MORNING: Part = {
  active: true,
  dayOfTheWeek: 9,
  intensity: 20,
  startHour: 6,
  stopHour: 11,
  stopMinute: 59,
};
export const EVENING: Part = {
  active: true,
  dayOfTheWeek: 9,
  intensity: 30,
  startHour: 18,
  stopHour: 23,
  stopMinute: 59,
};
export const SUNDAY: Part = { active: true, dayOfTheWeek: 7, intensity: 10, startHour: 9, stopHour: 17, stopMinute: 0 };
export const WEEK: Record<number, Part> = { 1: MORNING, 2: EVENING, 3: SUNDAY };

let claimed: DeviceView | undefined;

/** Claims the device for schedule tests. They share it, because each test first sets its schedule. */
export function claim(fleet: Fleet): DeviceView {
  claimed ??= fleet.claim((device) => device.csp === 'Meridian Air' && device.systemConfiguration === 'AQ290');
  return claimed;
}

export const at = (dsn: string) => `/devices/${dsn}/edit/schedule`;

export function schedule(parts: Record<number, Part>): ScheduleFrame[] {
  return Array.from({ length: 21 }, (_, place) => ({ ...missingFrame(place + 1), ...parts[place + 1] }));
}

export function put(api: APIRequestContext, dsn: string, frames: ScheduleFrame[]) {
  return api.put(`/api/devices/dsns/${dsn}/schedule`, { data: { frames } });
}

/** Stores this schedule and waits until the device has acknowledged it. */
export async function setSchedule(api: APIRequestContext, dsn: string, parts: Record<number, Part>): Promise<void> {
  expect((await put(api, dsn, schedule(parts))).status()).toBe(200);
  await expectAcknowledged(api, dsn);
}

export async function expectAcknowledged(api: APIRequestContext, dsn: string): Promise<void> {
  await expect.poll(async () => (await readDevice(api, dsn)).commands.schedule?.state).toBe('acknowledged');
}

/** The frame as stored in the cloud. */
export async function stored(api: APIRequestContext, dsn: string, number: number): Promise<ScheduleFrame | undefined> {
  const { scheduleBlob } = await readDevice(api, dsn);
  return readSchedule(scheduleBlob ?? '').frames[number - 1];
}

export async function openSchedule(page: Page, dsn: string): Promise<ScheduleScreen> {
  await page.goto(at(dsn));
  const screen = new ScheduleScreen(page);
  await expect(screen.save).toBeVisible();
  return screen;
}
