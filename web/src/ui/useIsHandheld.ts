import { useIsLow } from './useIsLow';
import { useIsPhone } from './useIsPhone';

/** A phone, upright or on its side: lists become cards and the navigation folds away. */
export function useIsHandheld(): boolean {
  const isLow = useIsLow();
  return useIsPhone() || isLow;
}
