/** Headings of the columns of the device list, which also label sort orders and filters. */
export const columns = {
  created_at: 'Date added',
  serialnumber: 'Serial Number',
  dsn: 'DSN',
  csp: 'CSP',
  customer: 'Customer',
  servicearea: 'Service Area',
  model: 'System Configuration',
  network: 'Network',
  connectionstatus: 'Status',
  connectedat: 'Last Connected',
  city: 'City',
  stateprovince: 'State/Province',
  country: 'Country',
  installedat: 'Installed',
  fragranceremaining: 'Remaining',
  runsdry: 'Runs Dry',
  distance: 'Distance',
} as const;

/** Labels of the filters without a column. */
export const filters = {
  q: 'Search',
  customerid: 'Customer ID',
  storenumber: 'Store Number',
  fragrance: 'Fragrance',
  mode: 'Mode',
  maxremaining: 'Remaining at most',
  offlinehours: 'Offline for more than',
  runsdrydays: 'Runs dry in',
  runsdrybefore: 'Runs dry before',
  near: 'Near me',
  installedfrom: 'Installed from',
  installedthrough: 'Installed through',
} as const;

/** Labels of the fields on the device page and in its form. */
export const fields = {
  csp: 'CSP',
  customer: 'Customer',
  customerId: 'Customer ID',
  storeNumber: 'Store Number',
  installedAt: 'Install Date',
  serviceArea: 'Service Area',
  serialNumber: 'Serial Number',
  setupCode: 'Setup Code',
  dsn: 'DSN',
  network: 'Network',
  systemConfiguration: 'System Configuration',
  fragrance: 'Fragrance',
  country: 'Country',
  city: 'City',
  state: 'State/Province',
  timeZone: 'Time Zone',
  latitude: 'Latitude',
  longitude: 'Longitude',
} as const;
