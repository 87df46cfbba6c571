import type { FormEvent } from 'react';
import { isCode } from '@/api/errors';
import type { CspView } from '@/api/schema.gen';
import { ChangedNotice } from '@/form/ChangedNotice';
import formClasses from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { RestoredNotice } from '@/form/RestoredNotice';
import { textError } from '@/form/text-error';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { FormActions } from '@/ui/fields/FormActions';
import { Button, TextInput } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { BackToCsps } from './BackToCsps';
import { useSaveCsp } from './useSaveCsp';

const SHAPE = { fields: ['name'], labels: { name: t.csps.name }, isRequired: () => true } as const;

interface Props {
  /** The CSP to rename; undefined to add one. */
  csp?: CspView;
  /** `isDone` is false if something was typed while a new CSP was saved, which its own form continues. */
  onSaved: (id: string, isDone: boolean) => void;
}

export function CspForm({ csp, onSaved }: Props) {
  const isInUse = csp !== undefined && !csp.isFree;
  const form = useRecordForm({
    shape: SHAPE,
    initial: () => ({ name: csp?.name ?? '' }),
    path: csp ? `/csps/${csp.id}` : '/csps/add',
    disabled: isInUse,
  });
  const save = useSaveCsp({
    id: csp?.id,
    onSaved: ({ id, name }) => {
      const successor = csp ? undefined : { path: `/csps/${id}`, fixed: [] };
      const isDone = form.saved({ name }, successor);
      if (isDone || !csp) onSaved(id, isDone);
    },
    onRefused: (name, error) => {
      form.refused(error);
      if (!isCode(error, 'changed')) form.showErrors({ name });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = textError(form.values.name, true);
    if (wrong) form.showErrors({ name: wrong });
    else if (csp) {
      const { changes, seen } = form.submitChanges();
      save.mutate({ ...changes, seen });
    } else save.mutate(form.submitAll());
  };

  return (
    <form className={formClasses.form} noValidate onSubmit={submit}>
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      <Card title={t.csps.one}>
        <TextInput
          {...form.input('name')}
          description={isInUse && t.csps.fixed(t.csps.inUseBy(csp.deviceCount, csp.userCount))}
        />
      </Card>
      <ChangedNotice meanwhile={form.meanwhile} fields={form} />
      <FormActions>
        <Button type="submit" loading={save.isPending} disabled={isInUse}>
          {t.common.save}
        </Button>
        <BackToCsps>{t.common.cancel}</BackToCsps>
      </FormActions>
      <LeaveGuard active={form.isChanged} onLeave={form.leave} />
    </form>
  );
}
