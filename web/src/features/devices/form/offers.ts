import { useQuery } from '@tanstack/react-query';
import { allCspsQuery } from '@/api/csps';
import { fragrancesQuery } from '@/api/fragrances';
import { useCan } from '@/api/session';
import { timeZonesQuery } from '@/api/time-zones';
import { countriesQuery, named, type Offer, offer } from '@/form/offers';
import { type Choice, plainChoices } from '@/lib/choices';
import type { Country } from '@/lib/countries';

export interface Offers {
  csps: Offer<Choice>;
  fragrances: Offer<Choice>;
  timeZones: Offer<Choice>;
  countries: Offer<Country>;
}

/** The choices of the form's fields; undefined until all have been read or have failed. */
export function useOffers(): Offers | undefined {
  const seesCsp = useCan('csps.view');
  const csps = useQuery({ ...allCspsQuery, enabled: seesCsp });
  // Users who see no devices get a 404 for the device and need no choices.
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
