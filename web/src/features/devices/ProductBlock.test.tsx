import { deviceDetail, fakeApi, ok, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { DeviceDetail } from '@/api/schema.gen';

async function steps(part: Partial<DeviceDetail>): Promise<(string | undefined)[]> {
  const device = deviceDetail(part);
  fakeApi({
    'GET /api/session': () => ok(session),
    [`GET /api/devices/dsns/${device.dsn}`]: () => ok(device),
    [`GET /api/devices/dsns/${device.dsn}/history`]: () => new Promise(() => undefined),
    'GET /api/audit': () => new Promise(() => undefined),
  });
  renderApp(`/devices/${device.dsn}`);
  const tiles = await Promise.all(['Intensity', 'Off-cycle', 'Fan Speed'].map((label) => screen.findByText(label)));
  return tiles.map((label) => label.closest('div')?.querySelector<HTMLElement>('[data-step]')?.dataset.step);
}

test.each([
  [1, 1, 1, ['1', '1', '1']],
  [10, 2, 2, ['1', '2', '2']],
  [11, 3, 3, ['2', '3', '3']],
  [30, 1, 4, ['3', '1', '4']],
  [40, 1, 5, ['4', '1', '5']],
  [50, 1, 0, ['5', '1', undefined]],
  [null, null, null, [undefined, undefined, undefined]],
])('intensity %s, off-cycle %s and fan %s have their steps', async (intensity, cycle, fan, expected) => {
  expect(await steps({ shownIntensity: { value: intensity, schedule: null }, cycle, fan })).toEqual(expected);
});
