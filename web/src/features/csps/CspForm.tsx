import { type FormEvent, useEffect, useState } from 'react';
import { isCode } from '@/api/errors';
import type { CspView } from '@/api/schema.gen';
import { ChangedNotice } from '@/form/ChangedNotice';
import formClasses from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { RestoredNotice } from '@/form/RestoredNotice';
import { textError } from '@/form/text-error';
import { useChangedMeanwhile } from '@/form/useChangedMeanwhile';
import { useDraftName } from '@/form/useDraftName';
import { useFields } from '@/form/useFields';
import { useTouchedFields } from '@/form/useTouchedFields';
import { t } from '@/i18n/en';
import { forgetDraft, keepDraft, readDraft, readDraftStart } from '@/lib/draft-memory';
import { Card } from '@/ui/Card';
import { FormActions } from '@/ui/FormActions';
import { Button, TextInput } from '@/ui/kit';
import { BackToCsps } from './BackToCsps';
import { useSaveCsp } from './useSaveCsp';

const SHAPE = { fields: ['name'], labels: { name: t.csps.name }, isRequired: () => true } as const;

interface Props {
  /** The CSP to rename; undefined to add one. */
  csp?: CspView;
  onSaved: () => Promise<void>;
}

export function CspForm({ csp, onSaved }: Props) {
  const isInUse = csp !== undefined && !csp.isFree;
  // Events must not change an open form.
  const [start] = useState({ name: csp?.name ?? '' });
  const draft = useDraftName(csp ? `/csps/${csp.id}` : '/csps/add');
  const [typed] = useState(() => readDraft(draft, start));
  const fields = useFields(SHAPE, start, isInUse ? undefined : typed, isInUse);
  const { values, isChanged } = fields;
  const touched = useTouchedFields(start);
  const [draftStart] = useState(() => readDraftStart(draft, start));
  const meanwhile = useChangedMeanwhile(fields, draftStart);
  useEffect(() => {
    keepDraft(draft, start, values);
  }, [draft, start, values]);

  const save = useSaveCsp({
    id: csp?.id,
    onSaved: () => {
      forgetDraft(draft);
      void onSaved();
    },
    onRefused: (name, error) => {
      meanwhile.show(error);
      if (!isCode(error, 'changed')) fields.showErrors({ name });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = textError(values.name, true);
    if (wrong) fields.showErrors({ name: wrong });
    else save.mutate(csp ? renamed() : values);
  };
  const renamed = () => {
    const sent = touched(values);
    return { ...sent, seen: meanwhile.seen(sent) };
  };

  return (
    <form className={formClasses.form} noValidate onSubmit={submit}>
      {fields.isRestored && <RestoredNotice onDiscard={fields.discard} />}
      <Card title={t.csps.one}>
        <TextInput
          {...fields.input('name')}
          description={isInUse && t.csps.fixed(t.csps.inUseBy(csp.deviceCount, csp.userCount))}
        />
      </Card>
      <ChangedNotice meanwhile={meanwhile} fields={fields} />
      <FormActions>
        <Button type="submit" loading={save.isPending} disabled={isInUse}>
          {t.common.save}
        </Button>
        <BackToCsps>{t.common.cancel}</BackToCsps>
      </FormActions>
      <LeaveGuard active={isChanged && !save.isSuccess} />
    </form>
  );
}
