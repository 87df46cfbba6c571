import { pages } from './pages';

/** The rules of sign-ins. */
export const signInRules = {
  title: pages.signInRules,
  lead: 'Users with these roles must set up two-step sign-in before they can do anything else, also those who are signed in now.',
  confirmTitle: (role: string) => `Require two-step sign-in for ${role}?`,
  question:
    'Users with this role who have not set it up can do nothing else until they have. This interrupts those who are working now.',
  ownRole: 'This is your own role. If you have not set it up, you do so next.',
  confirm: 'Require',
  failed: 'Failed to load the sign-in rules',
  saved: 'Successfully saved sign-in rules',
  saveFailed: (reason: string) => `Failed to save sign-in rules. ${reason}`,
} as const;
