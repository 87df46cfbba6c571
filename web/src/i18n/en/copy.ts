import { numberText } from '@/domain/number-text';

/** The page that copies values of a device to others. */
export const copy = {
  button: 'Copy Device Details',
  title: (name: string) => `Copy details of ${name}`,
  readOnly: 'You can view this device but not copy it.',
  steps: { options: '1. Choose what to copy', targets: '2. Choose devices', apply: '3. Apply' },
  options: {
    copyName: { label: 'Name', what: 'Service area, customer name, customer ID and store number' },
    copyId: { label: 'Identification', what: 'Fragrance' },
    schedules: { label: 'Schedules', what: 'The weekly schedule, lowered to the maximum intensity of each device' },
    notifications: { label: 'Notifications', what: 'Method, recipient and events; existing notifications stay' },
    settings: { label: 'Settings', what: 'Mode, off-cycle, intensity and fan speed' },
    location: {
      label: 'Location Information',
      what: 'Latitude, longitude, time zone, city, state/province and country',
    },
  },
  scheduled: 'In Run mode the intensity has no effect while a schedule is active: the schedule sets it.',
  noMatch: 'No other device matches the filters.',
  noRows: 'There is no other device to copy to.',
  kept: 'They stay selected when the filters change.',
  hint: 'Existing values are overwritten. A customer ID, store number or state/province that this device lacks is cleared.',
  chosen: (options: number, devices: number) =>
    `${counted(options, 'option')} and ${counted(devices, 'device')} selected`,
  apply: 'Apply Details',
  confirm: 'Copy these details?',
  applyTo: (devices: number) => `Apply to ${counted(devices, 'device')}`,
  progress: 'Copying device details',
  notCopied: (dsns: string, more: number) => `Not copied to ${dsns}${more > 0 ? ` and ${more} more` : ''}.`,
  copied: 'Successfully copied device',
} as const;

function counted(count: number, what: string): string {
  return `${numberText(count)} ${what}${count === 1 ? '' : 's'}`;
}
