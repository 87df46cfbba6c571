import { useMemo } from 'react';
import { type Country, countryChoices } from '@/domain/countries';
import { t } from '@/i18n/en';
import type { LoadedChoices } from './loaded-choices';
import { SelectField } from './SelectField';
import type { Fields } from './useFields';

interface Props {
  fields: Fields<'country' | 'state'>;
  countries: LoadedChoices<Country>;
}

/** Selects a country. A change clears the state, which belongs to a country. */
export function CountryField({ fields, countries }: Props) {
  const names = useMemo(() => countryChoices(countries.all), [countries]);
  return (
    <SelectField
      fields={fields}
      name="country"
      choices={names}
      searchable
      onChoose={(country) => {
        if (country === fields.values.country) return;
        fields.set('country', country);
        fields.set('state', '');
      }}
      failure={{ text: t.form.countriesFailed, retry: countries.retry }}
    />
  );
}
