import type { CopyForm } from '@/api/schema.gen';

/** What can be copied, by the names of the request, in the order of the page. */
export const OPTIONS = [
  'copyName',
  'copyId',
  'schedules',
  'notifications',
  'settings',
  'location',
] as const satisfies readonly (keyof CopyForm)[];

export type CopyOption = (typeof OPTIONS)[number];
