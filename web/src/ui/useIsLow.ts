import { useMediaQuery } from '@mantine/hooks';

/** A phone on its side: it is touched, and has little height. */
export function useIsLow(): boolean {
  return useMediaQuery('(max-height: 29.99em) and (pointer: coarse)', false, { getInitialValueInEffect: false });
}
