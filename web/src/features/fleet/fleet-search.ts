import type { FleetQuery } from '@/api/fleet';
import { oneOf, textFilter } from '@/lib/search-state';

/** The longest name that the server accepts. */
const LONGEST_NAME = 255;
export const PERIODS = [7, 28, 90, 365] as const;
export type Period = (typeof PERIODS)[number];
export const DEFAULT_PERIOD: Period = 28;

/** The query string of /fleet. */
export type FleetSearch = {
  /** `DEFAULT_PERIOD` if omitted. */
  days?: Period | undefined;
  csp?: string | undefined;
  customer?: string | undefined;
  /** Not together with `customer`. */
  fragrance?: string | undefined;
};

/** Omits invalid values. */
export function readFleetSearch(raw: { [Name in keyof FleetSearch]?: unknown }): FleetSearch {
  const days = oneOf(PERIODS, raw.days);
  const customer = textFilter(raw.customer, LONGEST_NAME);
  return {
    days: days === DEFAULT_PERIOD ? undefined : days,
    csp: textFilter(raw.csp, LONGEST_NAME),
    customer,
    fragrance: customer === undefined ? textFilter(raw.fragrance, LONGEST_NAME) : undefined,
  };
}

export function toFleetQuery({ days, ...names }: FleetSearch): FleetQuery {
  const given = Object.entries(names).filter(([, value]) => value !== undefined);
  return { days: days ?? DEFAULT_PERIOD, ...Object.fromEntries(given) };
}
