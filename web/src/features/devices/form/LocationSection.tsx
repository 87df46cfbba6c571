import { IconCurrentLocation } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useMemo } from 'react';
import { t } from '@/i18n/en';
import { countryChoices, regionChoices } from '@/lib/countries';
import { Card } from '@/ui/Card';
import { Button } from '@/ui/kit';
import classes from './DeviceForm.module.css';
import { detectLocation } from './detect-location';
import type { Offers } from './offers';
import { SelectField } from './SelectField';
import { TextField } from './TextField';
import type { DeviceFields } from './useDeviceFields';

interface Props extends Pick<Offers, 'timeZones' | 'countries'> {
  fields: DeviceFields;
  disabled: boolean;
}

export function LocationSection({ fields, disabled, timeZones, countries }: Props) {
  const countryNames = useMemo(() => countryChoices(countries.all), [countries]);
  const detect = useMutation({
    mutationFn: () => detectLocation(navigator.geolocation),
    onSuccess: ({ latitude, longitude }) => {
      fields.set('latitude', latitude);
      fields.set('longitude', longitude);
    },
  });
  // Browsers without it, whatever their types say.
  const canDetect = Boolean(navigator.geolocation) && !disabled;
  return (
    <Card
      title={t.device.location}
      actions={
        canDetect && (
          <Button
            variant="default"
            leftSection={<IconCurrentLocation size={18} aria-hidden="true" />}
            loading={detect.isPending}
            onClick={() => detect.mutate()}
          >
            {t.deviceForm.detectLocation}
          </Button>
        )
      }
    >
      {detect.isError && (
        <p className={classes.failure} role="alert">
          {detect.error.message}
        </p>
      )}
      <div className={classes.fields}>
        {/* No keyboard for decimals: that of iOS has no minus. */}
        <TextField fields={fields} name="latitude" spellCheck={false} />
        <TextField fields={fields} name="longitude" spellCheck={false} />
        <SelectField
          fields={fields}
          name="timeZone"
          choices={timeZones.all}
          searchable
          failure={{ text: t.deviceForm.timeZonesFailed, retry: timeZones.retry }}
        />
        <SelectField
          fields={fields}
          name="country"
          choices={countryNames}
          searchable
          onChoose={(country) => {
            if (country === fields.values.country) return;
            fields.set('country', country);
            fields.set('state', '');
          }}
          failure={{ text: t.deviceForm.countriesFailed, retry: countries.retry }}
        />
        <StateField fields={fields} countries={countries} />
        <TextField fields={fields} name="city" />
      </div>
    </Card>
  );
}

/** The regions of the chosen country; a country without any has none to choose. */
function StateField({ fields, countries }: Pick<Props, 'fields' | 'countries'>) {
  const { start, values } = fields;
  const regions = useMemo(() => regionChoices(countries.all, values.country), [countries, values.country]);
  return (
    <SelectField
      fields={fields}
      name="state"
      choices={regions}
      stored={values.country === start.country ? start.state : ''}
      searchable
      none={values.country ? t.deviceForm.noRegions : t.deviceForm.countryFirst}
    />
  );
}
