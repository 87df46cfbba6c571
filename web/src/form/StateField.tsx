import { useMemo } from 'react';
import { type Country, regionChoices } from '@/domain/countries';
import { t } from '@/i18n/en';
import type { LoadedChoices } from './loaded-choices';
import { SelectField } from './SelectField';
import type { Fields } from './useFields';

interface Props {
  fields: Fields<'country' | 'state'>;
  countries: LoadedChoices<Country>;
}

/** Selects a region of the chosen country, if it has regions. */
export function StateField({ fields, countries }: Props) {
  const { start, values } = fields;
  const regions = useMemo(() => regionChoices(countries.all, values.country), [countries, values.country]);
  return (
    <SelectField
      fields={fields}
      name="state"
      choices={regions}
      stored={values.country === start.country ? start.state : ''}
      searchable
      none={values.country ? t.form.noRegions : t.form.countryFirst}
    />
  );
}
