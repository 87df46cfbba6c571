import { useCan } from '@/api/session';
import classes from '@/form/Form.module.css';
import { SelectField } from '@/form/SelectField';
import { TextField } from '@/form/TextField';
import { t } from '@/i18n/en';
import { Card } from '@/ui/layout/Card';
import { CustomerField } from './CustomerField';
import type { DeviceFields } from './device-values';
import { NAME_DETAILS } from './device-values';
import type { FormChoices } from './form-choices';

interface Props {
  fields: DeviceFields;
  csps: FormChoices['csps'];
}

export function NameSection({ fields, csps }: Props) {
  const seesCsp = useCan('csps.view');
  return (
    <Card title={t.device.name}>
      <div className={classes.fields}>
        <CustomerField fields={fields} />
        {seesCsp && (
          <SelectField
            fields={fields}
            name="csp"
            choices={csps.all}
            searchable
            none={csps.retry ? '' : t.deviceForm.noCsps}
            failure={{ text: t.csps.failed, retry: csps.retry }}
          />
        )}
        <TextField fields={fields} name="serviceArea" />
        {NAME_DETAILS.map(({ name, type }) => (
          <TextField key={name} fields={fields} name={name} type={type} spellCheck={false} />
        ))}
      </div>
    </Card>
  );
}
