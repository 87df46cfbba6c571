/** Why there is no forecast, in a few words, by the codes of the API. */
const obstacles = {
  unknown_cartridge: 'cartridge size unknown',
  no_fragrance: 'fragrance not in the catalogue',
  no_flow: 'no flow rate known',
  unknown_level: 'running hours unknown',
  empty: 'empty',
  offline: 'offline for long',
  passed_offline: 'offline for long',
  off: 'switched off',
  empty_schedule: 'schedule never runs',
  unknown_use: 'use unknown',
  no_use: 'uses nothing',
  too_far_ahead: 'lasts for years',
};

/** Statements about the level of a device. */
export const level = {
  empty: 'empty',
  emptySince: (day: string) => `empty since ${day}`,
  dry: (day: string) => `runs dry ${day}`,
  dryNow: 'about to run dry',
  wasToRunDry: (day: string) => `was expected to run dry ${day}`,
  noContact: (days: number, percent: number | null) => {
    const time = days === 0 ? 'no contact today' : `no contact for ${days === 1 ? '1 day' : `${days} days`}`;
    return percent === null ? time : `${time}, ${percent}% then`;
  },
  neverContacted: 'never connected',
  noForecast: (obstacle: string) => `no forecast: ${obstacle}`,
  noForecastYet: 'no forecast yet',
  obstacles,
  provisional: (statement: string) => `${statement}, provisional`,
  provisionalHint: 'The past use of this device is still being read, so this date may change.',
  groups: {
    empty: 'Empty',
    forecast: 'With a forecast',
    no_contact: 'No contact, and likely dry by now',
    low: 'Low, without a forecast',
    other: 'Without a forecast',
  },
} as const;
