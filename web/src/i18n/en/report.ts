/** Reports of the lists. */
export const report = {
  button: 'Report',
  title: 'Report',
  lead: 'All rows that match the filters, not only those of this page.',
  type: 'Type',
  types: { printable: 'Printable', csv: 'CSV' },
  hints: { printable: 'A page to read and print: report.html', csv: 'For spreadsheets: report.csv' },
  generate: 'Generate',
  failed: 'Failed to generate report',
} as const;
