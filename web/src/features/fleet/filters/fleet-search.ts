import type { FleetQuery } from '@/api/fleet';
import { oneOf, textFilter } from '@/domain/search-state';

/** The longest name that the server accepts. */
const LONGEST_NAME = 255;
export const PERIODS = [7, 28, 90, 365] as const;
export type Period = (typeof PERIODS)[number];
export const DEFAULT_PERIOD: Period = 28;
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The query string of /fleet. */
export type FleetSearch = {
  /** `DEFAULT_PERIOD` if omitted. */
  days?: Period | undefined;
  /** A month like 2026-11 instead. */
  month?: string | undefined;
  csp?: string | undefined;
  customer?: string | undefined;
  /** Not together with `customer`. */
  fragrance?: string | undefined;
};

/** Omits invalid values. */
export function readFleetSearch(raw: { [Name in keyof FleetSearch]?: unknown }): FleetSearch {
  const days = oneOf(PERIODS, raw.days);
  const customer = textFilter(raw.customer, LONGEST_NAME);
  const month = typeof raw.month === 'string' && MONTH.test(raw.month) ? raw.month : undefined;
  return {
    days: days === DEFAULT_PERIOD || month ? undefined : days,
    month,
    csp: textFilter(raw.csp, LONGEST_NAME),
    customer,
    fragrance: customer === undefined ? textFilter(raw.fragrance, LONGEST_NAME) : undefined,
  };
}

export function toFleetQuery({ days, month, ...filters }: FleetSearch): FleetQuery {
  return { ...(month ? { month } : { days: days ?? DEFAULT_PERIOD }), ...toFleetFilters(filters) };
}

/** The filters that are set. */
export function toFleetFilters({ csp, customer, fragrance }: Pick<FleetSearch, 'csp' | 'customer' | 'fragrance'>) {
  return { ...(csp && { csp }), ...(customer && { customer }), ...(fragrance && { fragrance }) };
}
