import { type QueryObserverResult, queryOptions, useQuery } from '@tanstack/react-query';
import { allCspsQuery } from '@/api/csps';
import { fragrancesQuery } from '@/api/fragrances';
import { useCan } from '@/api/session';
import { timeZonesQuery } from '@/api/time-zones';
import { type Choice, plainChoices } from '@/lib/choices';
import { type Country, loadCountries } from '@/lib/countries';

const countriesQuery = queryOptions({
  queryKey: ['countries'],
  queryFn: loadCountries,
  staleTime: Number.POSITIVE_INFINITY,
});

/** What a field offers, if it could be read. */
export interface Offer<T> {
  all: readonly T[];
  /** Set when it could not. */
  retry?: { isUnderWay: boolean; now: () => void };
}

export interface Offers {
  csps: Offer<Choice>;
  fragrances: Offer<Choice>;
  timeZones: Offer<Choice>;
  countries: Offer<Country>;
}

/** What the fields of the form offer; undefined until it is known of each whether it can be read. */
export function useOffers(): Offers | undefined {
  const seesCsp = useCan('csps.view');
  const csps = useQuery({ ...allCspsQuery, enabled: seesCsp });
  // Who sees no devices is told that there is none, and not asked for what could be chosen.
  const fragrances = useQuery({ ...fragrancesQuery, enabled: useCan('devices.view') });
  const timeZones = useQuery(timeZonesQuery);
  const countries = useQuery(countriesQuery);
  const needed = [...(seesCsp ? [csps] : []), fragrances, timeZones, countries];
  if (!needed.every((query) => query.isFetched)) return undefined;
  return {
    csps: offer(csps, named),
    fragrances: offer(fragrances, named),
    timeZones: offer(timeZones, plainChoices),
    countries: offer(countries, (all) => all),
  };
}

function named(rows: { name: string }[]): Choice[] {
  return plainChoices(rows.map(({ name }) => name));
}

function offer<Row, T>(query: QueryObserverResult<Row[]>, read: (rows: Row[]) => T[]): Offer<T> {
  const { data, isFetching, refetch } = query;
  if (data) return { all: read(data) };
  return { all: [], retry: { isUnderWay: isFetching, now: () => void refetch() } };
}
