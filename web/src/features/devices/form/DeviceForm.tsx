import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { fieldErrors } from '@/api/errors';
import type { DeviceDetail } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { ChangedNotice } from '@/form/ChangedNotice';
import classes from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { RestoredNotice } from '@/form/RestoredNotice';
import { useChangedMeanwhile } from '@/form/useChangedMeanwhile';
import { useDraftName } from '@/form/useDraftName';
import { useTouchedFields } from '@/form/useTouchedFields';
import { t } from '@/i18n/en';
import { forgetDraft, keepDraft, readDraft, readDraftStart } from '@/lib/draft-memory';
import { SYSTEM_CONFIGURATIONS } from '@/lib/system-configurations';
import { FormActions } from '@/ui/FormActions';
import { Button } from '@/ui/kit';
import { InfoNotice } from '@/ui/Notice';
import { check } from './device-rules';
import { newDeviceValues, toDeviceForm, valuesOf } from './device-values';
import type { FormChoices } from './form-choices';
import { IdSection } from './IdSection';
import { LocationSection } from './LocationSection';
import { NameSection } from './NameSection';
import { useDeviceFields } from './useDeviceFields';
import { useSaveDevice } from './useSaveDevice';

interface Props {
  /** The device to edit; undefined to add one. */
  device?: DeviceDetail;
  formChoices: FormChoices;
  /** The link back. */
  cancel: ReactNode;
  onSaved: (device: DeviceDetail) => void;
}

export function DeviceForm({ device, formChoices, cancel, onSaved }: Props) {
  const disabled = device !== undefined && !device.can.edit;
  const seesCsp = useCan('csps.view');
  // Events must not change an open form.
  const [start] = useState(() =>
    device
      ? valuesOf(device)
      : newDeviceValues(
          formChoices.timeZones.all.map(({ value }) => value),
          browserTimeZone(),
          new Date(),
        ),
  );
  const draft = useDraftName(device ? `/devices/${device.dsn}/edit` : '/devices/add');
  const [typed] = useState(() => (disabled ? undefined : readDraft(draft, start)));
  const [draftStart] = useState(() => readDraftStart(draft, start));
  const fields = useDeviceFields(start, typed, disabled);
  const { values, errors, isChanged } = fields;
  const touched = useTouchedFields(start);
  useEffect(() => {
    keepDraft(draft, start, values);
  }, [draft, start, values]);

  const meanwhile = useChangedMeanwhile(fields, draftStart);
  const save = useSaveDevice({
    dsn: device?.dsn,
    onSaved: (saved) => {
      forgetDraft(draft);
      onSaved(saved);
    },
    onRefused: (error) => {
      fields.showErrors(fieldErrors(error));
      meanwhile.show(error);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = check(values, seesCsp);
    if (Object.keys(wrong).length === 0) {
      const sent = device ? touched(values) : values;
      const form = toDeviceForm(sent, seesCsp);
      save.mutate({
        dsn: values.dsn,
        setupCode: values.setupCode,
        form: device ? { ...form, seen: meanwhile.seen(sent) } : form,
      });
    }
    // Keeps the error from the look-up of the dsn.
    else fields.showErrors({ ...(errors.dsn && { dsn: String(errors.dsn) }), ...wrong });
  };

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      {disabled && <InfoNotice text={t.deviceForm.readOnly} />}
      {fields.isRestored && <RestoredNotice onDiscard={fields.discard} />}
      <NameSection fields={fields} csps={formChoices.csps} />
      <IdSection fields={fields} isNew={!device} fragrances={formChoices.fragrances} />
      <LocationSection
        fields={fields}
        isNew={!device}
        disabled={disabled}
        timeZones={formChoices.timeZones}
        countries={formChoices.countries}
      />
      <ChangedNotice
        meanwhile={meanwhile}
        fields={fields}
        valueText={(field, value) => (field === 'systemConfiguration' ? SYSTEM_CONFIGURATIONS[value] : undefined)}
      />
      <FormActions>
        <Button type="submit" loading={save.isPending} disabled={disabled}>
          {t.common.save}
        </Button>
        {cancel}
      </FormActions>
      <LeaveGuard active={isChanged && !save.isSuccess} />
    </form>
  );
}

function browserTimeZone(): string {
  return new Intl.DateTimeFormat().resolvedOptions().timeZone;
}
