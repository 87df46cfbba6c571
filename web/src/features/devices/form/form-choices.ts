import { useQuery } from '@tanstack/react-query';
import { allCspsQuery } from '@/api/csps';
import { fragrancesQuery } from '@/api/fragrances';
import { useCan } from '@/api/session';
import { timeZonesQuery } from '@/api/time-zones';
import { type Choice, plainChoices } from '@/domain/choices';
import type { Country } from '@/domain/countries';
import { countriesQuery, type LoadedChoices, loadedChoices, named } from '@/form/loaded-choices';

export interface FormChoices {
  csps: LoadedChoices<Choice>;
  fragrances: LoadedChoices<Choice>;
  timeZones: LoadedChoices<Choice>;
  countries: LoadedChoices<Country>;
}

/** The choices of the form's fields; undefined until all have been read or have failed. */
export function useFormChoices(): FormChoices | undefined {
  const seesCsp = useCan('csps.view');
  const csps = useQuery({ ...allCspsQuery, enabled: seesCsp });
  // Users who see no devices get a 404 for the device and need no choices.
  const fragrances = useQuery({ ...fragrancesQuery, enabled: useCan('devices.view') });
  const timeZones = useQuery(timeZonesQuery);
  const countries = useQuery(countriesQuery);
  const needed = [...(seesCsp ? [csps] : []), fragrances, timeZones, countries];
  if (!needed.every((query) => query.isFetched)) return undefined;
  return {
    csps: loadedChoices(csps, named),
    fragrances: loadedChoices(fragrances, named),
    timeZones: loadedChoices(timeZones, plainChoices),
    countries: loadedChoices(countries, (all) => all),
  };
}
