import type { FormEvent, ReactNode } from 'react';
import type { DeviceDetail } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { SYSTEM_CONFIGURATIONS } from '@/domain/system-configurations';
import { ownZoneName } from '@/domain/time-zone';
import { ChangedNotice } from '@/form/ChangedNotice';
import classes from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { RestoredNotice } from '@/form/RestoredNotice';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { FormActions } from '@/ui/fields/FormActions';
import { Button } from '@/ui/kit';
import { InfoNotice } from '@/ui/notices/Notice';
import { check } from './device-rules';
import { FIELDS, isRequired, newDeviceValues, toDeviceForm, valuesOf } from './device-values';
import type { FormChoices } from './form-choices';
import { IdSection } from './IdSection';
import { LocationSection } from './LocationSection';
import { NameSection } from './NameSection';
import { useSaveDevice } from './useSaveDevice';

const SHAPE = { fields: FIELDS, labels: t.device, isRequired };
/** Only a new device has them. */
const FIXED = ['dsn', 'setupCode'] as const;

interface Props {
  /** The device to edit; undefined to add one. */
  device?: DeviceDetail;
  formChoices: FormChoices;
  /** The link back. */
  cancel: ReactNode;
  /** `isDone` is false if something was typed while a new device was saved, which its own form continues. */
  onSaved: (device: DeviceDetail, isDone: boolean) => void;
}

export function DeviceForm({ device, formChoices, cancel, onSaved }: Props) {
  const disabled = device !== undefined && !device.can.edit;
  const seesCsp = useCan('csps.view');
  const form = useRecordForm({
    shape: SHAPE,
    initial: () =>
      device
        ? valuesOf(device)
        : newDeviceValues(
            formChoices.timeZones.all.map(({ value }) => value),
            ownZoneName(),
            new Date(),
          ),
    path: device ? editPath(device.dsn) : '/devices/add',
    disabled,
  });
  const save = useSaveDevice({
    dsn: device?.dsn,
    onSaved: (saved) => {
      const successor = device ? undefined : { path: editPath(saved.dsn), fixed: FIXED };
      const isDone = form.saved(valuesOf(saved), successor);
      if (isDone || !device) onSaved(saved, isDone);
    },
    onRefused: form.refused,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { values, errors } = form;
    const wrong = check(values, seesCsp);
    // Keeps the error from the look-up of the dsn.
    if (Object.keys(wrong).length > 0) form.showErrors({ ...(errors.dsn && { dsn: String(errors.dsn) }), ...wrong });
    else if (device) {
      const { changes, seen } = form.submitChanges();
      save.mutate({ ...values, form: { ...toDeviceForm(changes, seesCsp), seen } });
    } else save.mutate({ ...values, form: toDeviceForm(form.submitAll(), seesCsp) });
  };

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      {disabled && <InfoNotice text={t.deviceForm.readOnly} />}
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      <NameSection fields={form} csps={formChoices.csps} />
      <IdSection fields={form} isNew={!device} fragrances={formChoices.fragrances} />
      <LocationSection
        fields={form}
        isNew={!device}
        disabled={disabled}
        timeZones={formChoices.timeZones}
        countries={formChoices.countries}
      />
      <ChangedNotice
        meanwhile={form.meanwhile}
        fields={form}
        valueText={(field, value) => (field === 'systemConfiguration' ? SYSTEM_CONFIGURATIONS[value] : undefined)}
      />
      <FormActions>
        <Button type="submit" loading={save.isPending} disabled={disabled}>
          {t.common.save}
        </Button>
        {cancel}
      </FormActions>
      <LeaveGuard active={form.isChanged} onLeave={form.leave} />
    </form>
  );
}

function editPath(dsn: string): string {
  return `/devices/${dsn}/edit`;
}
