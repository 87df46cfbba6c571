const FIELDS = { coordinates: 'coordinates', timeZone: 'time zone', country: 'country', state: 'state or province' };

type Field = keyof typeof FIELDS;

const listed = (fields: Field[]) => fields.map((field) => FIELDS[field]).join(', ');

export const location = {
  filled: (fields: Field[]) => `Filled in from your position: ${listed(fields)}.`,
  kept: (fields: Field[]) => `Not changed: ${listed(fields)}.`,
  placeFailed: 'The time zone and country of your position could not be read. Please choose them.',
};
