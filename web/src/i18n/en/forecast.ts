/** Why there is no forecast, by the codes of the API. */
const obstacles = {
  unknown_cartridge: 'the cartridge size of this system configuration is unknown',
  no_fragrance: 'the device has no fragrance of the catalogue',
  no_flow: 'the catalogue has no flow rate of the fragrance for this system configuration',
  unknown_level: 'the level is unknown',
  empty: 'the cartridge is empty',
  offline: 'the device has been offline for more than 28 days',
  passed_offline: 'the device is offline, and was expected to run dry meanwhile',
  off: 'the device is off',
  empty_schedule: 'the schedule has no running time',
  unknown_use: 'the schedule and the use on recent days are unknown',
  no_use: 'the device has used nothing on recent days',
  too_far_ahead: 'the date is more than three years ahead',
};

/** What a forecast relies on, by the codes of the API. */
const inputs = {
  schedule: 'Mode and schedule',
  history: 'Use on recent days',
  both: 'Mode and schedule, corrected by use on recent days',
};

export const forecast = {
  title: 'Forecast',
  loading: 'Loading forecast',
  failed: 'Failed to load the forecast',
  obstacles,
  none: 'No forecast',
  because: (obstacle: string) => `There is no forecast because ${obstacle}.`,
  runsDry: 'Runs dry',
  runsDryOn: (day: string) => `Runs dry on ${day}`,
  low: '20% left',
  lowAlready: 'Already',
  lowLikely: 'Likely by now',
  use: 'Expected use',
  mlPerWeek: (ml: string) => `${ml} mL a week`,
  basis: 'Based on',
  inputs,
  interval: (median: string, earliest: string, latest: string) => `${median} (${earliest} – ${latest})`,
  openInterval: (median: string, earliest: string) => `${median} (${earliest} or later)`,
  intervalHint: 'In 8 of 10 cases the true date lies between the dates in brackets.',
  level: 'Fragrance Remaining',
  chart: (day: string) => `Chart of the level, which is expected to reach 0% on ${day}`,
  range: (likely: string, least: string, most: string) => `${likely} (${least} – ${most})`,
  table: 'When each level is reached',
  tableHint: 'In 8 of 10 cases the true date lies between the earliest and the latest.',
  earliest: 'Earliest',
  median: 'Most likely',
  latest: 'Latest',
  beyond: 'More than three years ahead',
} as const;

/** The effect of values that are not saved yet. */
export const whatIf = {
  label: 'Effect on use',
  noEffect: 'No effect on when it runs dry: use depends only on the times at which the device runs.',
  failed: (reason: string) => `The effect on use is not known. ${reason}`,
  instead: (after: string, before: string) => `Runs dry on ${after} instead of ${before}`,
  asBefore: (day: string) => `Runs dry on ${day} as before`,
  ml: (after: string, before: string) => `${after} instead of ${before} mL a week`,
  mlOnly: (after: string) => `${after} mL a week`,
  stops: (obstacle: string, before: string) => `No date when it runs dry, because ${obstacle}, instead of ${before}`,
} as const;
