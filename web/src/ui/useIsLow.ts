import { useMediaQuery } from '@mantine/hooks';

/** Whether this is a phone in landscape: a touch screen of little height. */
export function useIsLow(): boolean {
  return useMediaQuery('(max-height: 29.99em) and (pointer: coarse)', false, { getInitialValueInEffect: false });
}
