import { numberText } from '@/domain/number-text';

export const bulk = {
  noEffect: 'A CSP has no effect on when devices run dry.',
  title: 'Bulk Edit Details',
  lead: 'Select devices in the list, on any of its pages. Choose a new CSP for all of them.',
  chosen: (count: number) => (count === 1 ? '1 device selected' : `${numberText(count)} devices selected`),
  clear: 'Clear selection',
  dropped: 'The filters changed, so the selection was cleared.',
  csp: 'CSP',
  cspsFailed: 'Failed to load CSPs.',
  leave: 'Cancel',
  saved: 'Successfully updated device details',
  failed: 'Failed to update details',
  progress: 'Updating device details',
} as const;
