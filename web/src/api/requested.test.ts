import { deviceDetail } from '@test/fake-api';
import { expect, test } from 'vitest';
import { isOnlyRequested, shownSetting } from './requested';
import type { Command, DeviceDetail } from './schema.gen';

const COMMAND: Command = { value: 7, state: 'pending', sentAt: '', answeredAt: null, expiresAt: null, reported: 20 };

function device(connectionStatus: DeviceDetail['connectionStatus'], command: Partial<Command>): DeviceDetail {
  return deviceDetail({ connectionStatus, intensity: 7, commands: { intensity: { ...COMMAND, ...command } } });
}

test.each([
  ['an offline device that reported another value', device('Offline', {}), { value: 20, requested: 7 }],
  ['an offline device that never reported', device('Offline', { reported: null }), { value: null, requested: 7 }],
  ['an offline device that took it over before', device('Offline', { state: 'acknowledged' }), { value: 7 }],
  ['an offline device that refused', device('Offline', { state: 'failed' }), { value: 7 }],
  ['an online device', device('Online', {}), { value: 7 }],
  [
    'a device of which nobody requested anything',
    deviceDetail({ connectionStatus: 'Offline', intensity: 7 }),
    { value: 7 },
  ],
])('the intensity of %s', (_, device, expected) => {
  expect(shownSetting(device, 'intensity')).toEqual(expected);
  expect(isOnlyRequested(device, 'intensity')).toBe('requested' in expected);
});
