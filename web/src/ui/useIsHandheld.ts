import { useIsLow } from './useIsLow';
import { useIsPhone } from './useIsPhone';

/** Whether this is a phone in either orientation: lists become cards and the navigation is collapsed. */
export function useIsHandheld(): boolean {
  const isLow = useIsLow();
  return useIsPhone() || isLow;
}
