export const devicePage = {
  actions: 'More actions',
  sections: 'Sections of this page',
  section: {
    status: 'Status',
    schedule: 'Schedule',
    details: 'Details',
    notifications: 'Notifications',
    forecast: 'Forecast',
    history: 'History',
    changes: 'Changes',
  },
  ofSchedule: (schedule: number) => `(Schedule ${schedule})`,
  asReported: (ago: string) => `As reported ${ago}`,
  notReported: 'Not reported yet',
  setTo: (intensity: number) => `Set to ${intensity}`,
  notSaved: (intensity: number) => `${intensity} is not confirmed`,
  lower: 'Lower intensity by 1',
  raise: 'Raise intensity by 1',
  ownIntensity: 'Device intensity',
  changeSchedule: (schedule: number, intensity: string, isKnown: boolean) =>
    `Change Schedule ${schedule} (${isKnown ? 'now' : 'last known'} ${intensity})`,
  changeSchedules: 'Change the schedule',
  bySchedule: (schedule: number) => `Schedule ${schedule} sets the intensity.`,
  scheduled: 'In Run mode the schedule sets the intensity.',
  withoutSchedule: 'In Run mode the device is paused without a schedule.',
  offline: 'This device is offline. It applies a new intensity when it reconnects.',
  waiting: 'Power it on; waiting for first contact',
  firstContact: (name: string) => `${name} is online.`,
  reset: {
    level: (from: string, to: string) => `Level set from ${from} to ${to}`,
    hours: (from: string, to: string) => `cartridge life from ${from} to ${to}`,
    life: (hours: number) => {
      if (hours < 48) return `${Math.round(hours)} h`;
      return `${Math.round(hours / 24)} days`;
    },
    undoReset: 'Undo this reset',
    undone: 'Undid the reset',
    undoFailed: (message: string) => `Failed to undo the reset. ${message}`,
    undoUnanswered: (message: string) => `${message} The reset may have been undone nevertheless.`,
  },
};
