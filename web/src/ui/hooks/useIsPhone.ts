import { useMediaQuery } from '@mantine/hooks';

/** Whether the window is narrower than 48em. */
export function useIsPhone(): boolean {
  return useMediaQuery('(max-width: 47.99em)', false, { getInitialValueInEffect: false });
}
