/** Titles of pages that the navigation and other pages also show. */
export const pages = {
  devices: 'Devices',
  addDevice: 'Add Device',
  users: 'Users',
  csps: 'CSPs',
  jobs: 'Jobs',
  audit: 'Audit',
  catalogue: 'Export / Import',
  help: 'Help',
  about: 'About',
} as const;
