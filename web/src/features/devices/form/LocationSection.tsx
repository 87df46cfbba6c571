import { IconCurrentLocation } from '@tabler/icons-react';
import { CountryField } from '@/form/CountryField';
import classes from '@/form/Form.module.css';
import { SelectField } from '@/form/SelectField';
import { StateField } from '@/form/StateField';
import { TextField } from '@/form/TextField';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { ErrorLine } from '@/ui/notices/ErrorLine';
import { locationHelp } from './detect-location';
import type { DeviceFields } from './device-values';
import type { FormChoices } from './form-choices';
import sectionClasses from './LocationSection.module.css';
import { useDetectLocation } from './useDetectLocation';

interface Props extends Pick<FormChoices, 'timeZones' | 'countries'> {
  fields: DeviceFields;
  /** Whether the device is new, so that no location is stored yet. */
  isNew: boolean;
  disabled: boolean;
}

export function LocationSection({ fields, isNew, disabled, timeZones, countries }: Props) {
  const detect = useDetectLocation({ fields, isNew, countries: countries.all });
  const help = detect.isError ? locationHelp(detect.error) : undefined;
  // Some browsers lack it, despite its type.
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
      {detect.isError && <ErrorLine mb={16}>{detect.error.message}</ErrorLine>}
      {help && <p className={sectionClasses.detected}>{help}</p>}
      <div role="status">
        {detect.data?.map((line) => (
          <p key={line} className={sectionClasses.detected}>
            {line}
          </p>
        ))}
      </div>
      <div className={classes.fields}>
        {/* Without inputMode="decimal": that keyboard of iOS has no minus. */}
        <TextField fields={fields} name="latitude" spellCheck={false} />
        <TextField fields={fields} name="longitude" spellCheck={false} />
        <SelectField
          fields={fields}
          name="timeZone"
          choices={timeZones.all}
          searchable
          failure={{ text: t.deviceForm.timeZonesFailed, retry: timeZones.retry }}
        />
        <CountryField fields={fields} countries={countries} />
        <StateField fields={fields} countries={countries} />
        <TextField fields={fields} name="city" />
      </div>
    </Card>
  );
}
