import { createContext, useContext } from 'react';
import type { Zone } from '@/domain/time-zone';

/** The zone in which times are shown below: that of the device on a device's page, otherwise the reader's. */
export const ZoneContext = createContext<Zone>(undefined);

export function useZone(): Zone {
  return useContext(ZoneContext);
}
