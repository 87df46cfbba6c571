import type { CopyForm } from '@/api/schema.gen';

/** The copy options by their API names, in display order. */
export const OPTIONS = [
  'copyName',
  'copyId',
  'schedules',
  'notifications',
  'settings',
  'location',
] as const satisfies readonly (keyof CopyForm)[];

export type CopyOption = (typeof OPTIONS)[number];
