/** Titles of pages that the navigation and other pages also show. */
export const pages = {
  attention: 'Attention',
  devices: 'Devices',
  fleet: 'Fleet',
  addDevice: 'Add Device',
  users: 'Users',
  csps: 'CSPs',
  jobs: 'Jobs',
  audit: 'Audit',
  catalogue: 'Export / Import',
  signInRules: 'Sign-In Rules',
  help: 'Help',
  about: 'About',
} as const;
