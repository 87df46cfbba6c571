import { numberText } from '@/domain/number-text';
import { PRODUCT_NAME } from '@/domain/product';

export const common = {
  back: 'Back',
  cancel: 'Cancel',
  close: 'Close',
  none: 'Not set',
  required: (field: string) => `${field} is required`,
  retry: 'Retry',
  save: 'Save',
  skipToContent: 'Skip to content',
} as const;

export const errors = {
  network: 'The server cannot be reached.',
  unexpected: 'Something went wrong',
  notFoundPage: 'Page not found',
  notFoundPageHint: 'There is nothing at this address.',
  refusedPage: 'No access',
  refused: 'You do not have access to that page.',
  refusedHint: 'Your role does not include it. An administrator can give you another one.',
  toDevices: 'Go to Devices',
} as const;

export const release = {
  updated: `${PRODUCT_NAME} was updated.`,
  reload: 'Reload',
  missing: 'This part of the page could not be loaded',
} as const;

export const noConnection = {
  title: 'No connection',
  hint: 'This page reloads when the server can be reached again.',
} as const;

export const shell = {
  navigation: 'Main',
  openNavigation: 'Open navigation',
  closeNavigation: 'Close navigation',
  userMenu: (name: string) => `Account of ${name}`,
  account: 'Account',
  shortcuts: 'Keyboard shortcuts',
  signOut: 'Sign Out',
  jobRunning: 'A job is running',
  ownItems: (count: number) => (count === 1 ? '1 item assigned to you' : `${numberText(count)} items assigned to you`),
  newItems: (count: number) => (count === 1 ? '1 new item' : `${numberText(count)} new items`),
  toDark: 'Switch to dark colors',
  toLight: 'Switch to light colors',
  loading: `${PRODUCT_NAME} is loading`,
} as const;

export const live = {
  connecting: 'Connecting',
  live: 'Live',
  reconnecting: 'Reconnecting',
  polling: 'Updated every 30 s',
  offline: 'No connection',
  paused: 'Paused',
  meaning: {
    connecting: 'Connecting to live updates',
    live: 'This page shows changes as they happen',
    reconnecting: 'Live updates were interrupted and are being restored',
    offline: 'The server cannot be reached; this page may be out of date',
    paused: 'You have too many open windows, so this one is updated every 30 seconds. Close some of them',
    polling: 'Live updates do not arrive; this page is updated every 30 seconds',
  },
  lastUpdate: (time: string) => `No connection to the server. Last update ${time}.`,
} as const;

export const stale = {
  since: (time: string) => `Data as of ${time}`,
  refresh: 'Refresh',
} as const;

export const time = {
  yours: (time: string) => `Your time: ${time}`,
  deviceZone: (zone: string, there: string, here: string) =>
    `Times are in the time zone of the device, ${zone}: it is ${there} there and ${here} here.`,
  unknownZone: (zone: string) =>
    `This browser does not know the time zone of the device, ${zone}: times are in your time zone.`,
} as const;
