import { device } from '@test/fake-api';
import { vectors } from '@test/vectors';
import { expect, test } from 'vitest';
import { SETTING_RANGE, SETTINGS, type Setting } from '@/domain/settings-rules';
import { t } from '@/i18n/en';
import { changedSettings, modesFor, settingsForm } from './settings-form';

test('a device that reported nothing starts with intensity 1 and nothing chosen', () => {
  expect(settingsForm(device({ mode: null, cycle: null, intensity: null, fan: null }))).toEqual({
    mode: null,
    cycle: null,
    intensity: 1,
    fan: null,
  });
});

test('an intensity above the maximum is shown clamped', () => {
  expect(settingsForm(device({ cycle: 3, intensity: 48 })).intensity).toBe(40);
});

test('mode 2 is offered only to a device that is in it', () => {
  expect(modesFor(4)).toEqual([1, 3, 4]);
  expect(modesFor(null)).toEqual([1, 3, 4]);
  expect(modesFor(2)).toEqual([1, 2, 3, 4]);
});

test('only changed settings are sent', () => {
  const before = settingsForm(device());
  expect(changedSettings(before, before)).toEqual({});
  expect(changedSettings(before, { ...before, fan: 0 })).toEqual({ fan: 0 });
  expect(changedSettings(before, { ...before, cycle: 3, intensity: 40 })).toEqual({ cycle: 3, intensity: 40 });
});

test('no intensity is sent in mode 2', () => {
  const before = settingsForm(device({ mode: 2 }));
  expect(changedSettings(before, { ...before, intensity: 7, fan: 1 })).toEqual({ fan: 1 });
});

interface SettingVector {
  field: Setting;
  label: string;
  min: number;
  max: number;
}

test('ranges and labels of the settings equal those of the diffuser', () => {
  const settings = vectors<SettingVector>('settings');
  expect(settings.map(({ field }) => field)).toEqual(SETTINGS);
  for (const { field, label, min, max } of settings) {
    expect(SETTING_RANGE[field], field).toEqual({ min, max });
    expect(t.device[field]).toBe(label);
  }
});
