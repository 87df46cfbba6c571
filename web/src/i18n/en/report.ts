/** Reports of the lists. */
export const report = {
  button: 'Report',
  title: 'Report',
  lead: 'Contains all rows that match the filters, not only those on this page.',
  type: 'Type',
  types: { printable: 'Printable', xlsx: 'Excel (XLSX)', csv: 'CSV', json: 'JSON' },
  hints: {
    printable: (file: string) => `A page to read and print: ${file}`,
    xlsx: (file: string) => `For Excel and other spreadsheets, with times in your time zone: ${file}`,
    csv: (file: string) => `Plain text for spreadsheets and programs: ${file}`,
    json: (file: string) => `For programs: ${file}`,
  },
  groupByCustomer: 'Group by customer',
  content: 'Content',
  contents: { rows: 'List', purchasing: 'Cartridges to buy', stores: 'Use by store and fragrance in a month' },
  month: 'Month',
  stores: 'use',
  until: 'Needed until',
  untilMissing: 'Choose a day',
  cartridges: 'cartridges',
  generate: 'Generate',
  failed: 'Failed to generate report',
} as const;
