import { useMediaQuery } from '@mantine/hooks';
import { useIsPhone } from './useIsPhone';

/** Whether this is a phone in either orientation: lists become cards and the navigation is collapsed. */
export function useIsHandheld(): boolean {
  const isLow = useIsLow();
  return useIsPhone() || isLow;
}

/** Whether this is a phone in landscape: a touch screen of little height. */
function useIsLow(): boolean {
  return useMediaQuery('(max-height: 29.99em) and (pointer: coarse)', false, { getInitialValueInEffect: false });
}
