import { deviceDetail, fakeApi, ok, session } from '@test/fake-api';
import { renderApp } from '@test/render-app';
import { screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { DeviceDetail } from '@/api/schema.gen';

/** The steps of intensity, off-cycle and fan, and the bars that they fill. */
async function steps(part: Partial<DeviceDetail>): Promise<(string | undefined)[][]> {
  const device = deviceDetail(part);
  fakeApi({
    'GET /api/session': () => ok(session),
    [`GET /api/devices/dsns/${device.dsn}`]: () => ok(device),
    [`GET /api/devices/dsns/${device.dsn}/history`]: () => new Promise(() => undefined),
    'GET /api/audit': () => new Promise(() => undefined),
  });
  renderApp(`/devices/${device.dsn}`);
  const tiles = await Promise.all(['Intensity', 'Off-cycle', 'Fan Speed'].map((label) => screen.findByText(label)));
  const marks = tiles.map((label) => label.closest('div')?.querySelector<HTMLElement>('[data-step]')?.dataset);
  return [marks.map((mark) => mark?.step), marks.map((mark) => mark?.bars)];
}

test.each([
  [1, 1, 1, ['1', '1', '1'], ['1', '3', '1']],
  [10, 2, 2, ['1', '2', '2'], ['1', '2', '2']],
  [11, 3, 3, ['2', '3', '3'], ['2', '1', '3']],
  [30, 1, 4, ['3', '1', '4'], ['3', '3', '4']],
  [40, 1, 5, ['4', '1', '5'], ['4', '3', '5']],
  [50, 1, 0, ['5', '1', undefined], ['5', '3', undefined]],
  [null, null, null, [undefined, undefined, undefined], [undefined, undefined, undefined]],
])('more bars for more scent: intensity %s, off-cycle %s and fan %s have their steps', async (...values) => {
  const [intensity, cycle, fan, ...expected] = values;
  expect(await steps({ shownIntensity: { value: intensity, schedule: null }, cycle, fan })).toEqual(expected);
});
