import { SYSTEM_CONFIGURATIONS } from '@/domain/system-configurations';
import classes from '@/form/Form.module.css';
import { SelectField } from '@/form/SelectField';
import { TextField } from '@/form/TextField';
import { t } from '@/i18n/en';
import { Card } from '@/ui/layout/Card';
import type { DeviceFields } from './device-values';
import type { FormChoices } from './form-choices';
import { SetupCodeField } from './SetupCodeField';
import { useDsnLookUp } from './useDsnLookUp';

const CONFIGURATIONS = Object.entries(SYSTEM_CONFIGURATIONS).map(([value, label]) => ({ value, label }));

interface Props {
  fields: DeviceFields;
  /** Whether the device is new; an existing device keeps its dsn. */
  isNew: boolean;
  fragrances: FormChoices['fragrances'];
}

export function IdSection({ fields, isNew, fragrances }: Props) {
  const lookUp = useDsnLookUp(fields);
  return (
    <Card title={t.device.id}>
      <div className={classes.fields}>
        <TextField fields={fields} name="serialNumber" autoCapitalize="characters" spellCheck={false} />
        <TextField
          fields={fields}
          name="dsn"
          autoCapitalize="characters"
          spellCheck={false}
          {...(isNew ? { onLeave: lookUp } : { fixed: true })}
        />
        {isNew && <SetupCodeField fields={fields} />}
        <SelectField fields={fields} name="systemConfiguration" choices={CONFIGURATIONS} />
        <SelectField
          fields={fields}
          name="fragrance"
          choices={fragrances.all}
          searchable
          none={fragrances.retry ? '' : t.deviceForm.noFragrances}
          failure={{ text: t.deviceForm.fragrancesFailed, retry: fragrances.retry }}
        />
      </div>
    </Card>
  );
}
