import { useMediaQuery } from '@mantine/hooks';

/** Below 48em. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
}
