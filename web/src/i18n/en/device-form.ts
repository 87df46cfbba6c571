export const deviceForm = {
  editTitle: (name: string) => `Edit ${name}`,
  edit: 'Edit',
  readOnly: 'You can view this device but not change it.',
  noDate: 'Must be a date like 2026-11-20',
  bothDegrees: 'Enter both latitude and longitude',
  outOfRange: (limit: number) => `Must be between -${limit} and ${limit}`,
  unknownDsn: 'No device with that DSN was found',
  takenDsn: 'A device with this DSN has already been registered',
  fragrancesFailed: 'Failed to get fragrances',
  noFragrances: 'None yet: see Export / Import',
  noCsps: 'None yet: add one under CSPs',
  newCustomer: 'New customer',
  timeZonesFailed: 'Failed to load time zones',
  detectLocation: 'Detect Location',
  locationErrors: {
    1: 'User denied the request for Geolocation.',
    2: 'Location information is unavailable.',
    3: 'The request to get user location timed out.',
  } as Record<number, string>,
  locationHelp:
    'Allow this site to use your location: in the browser beside the address, and in the settings of your phone. Then try again.',
  locationUnknownError: 'An unknown error occurred.',
  added: 'Successfully added device',
  addFailed: (message: string) => `Failed to add device. ${message}`,
  updated: 'Successfully updated device',
  updateFailed: (message: string) => `Failed to update device. ${message}`,
} as const;

const FIELDS = { coordinates: 'coordinates', timeZone: 'time zone', country: 'country', state: 'state or province' };

type Field = keyof typeof FIELDS;

const listed = (fields: Field[]) => fields.map((field) => FIELDS[field]).join(', ');

export const location = {
  filled: (fields: Field[]) => `Filled in from your position: ${listed(fields)}.`,
  kept: (fields: Field[]) => `Not changed: ${listed(fields)}.`,
  noCity: 'The city is not known from a position: please enter it.',
  placeFailed: 'The time zone and country of your position could not be read. Please choose them.',
};
