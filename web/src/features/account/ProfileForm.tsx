import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useEffect, useState } from 'react';
import { applyProfile, updateProfile } from '@/api/account';
import { fieldErrors, messageOf } from '@/api/errors';
import type { Profile } from '@/api/schema.gen';
import { ChangedNotice } from '@/form/ChangedNotice';
import { CountryField } from '@/form/CountryField';
import classes from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import type { LoadedChoices } from '@/form/loaded-choices';
import { RestoredNotice } from '@/form/RestoredNotice';
import { StateField } from '@/form/StateField';
import { TextField } from '@/form/TextField';
import { useChangedMeanwhile } from '@/form/useChangedMeanwhile';
import { useDraftName } from '@/form/useDraftName';
import { useFields } from '@/form/useFields';
import { useTouchedFields } from '@/form/useTouchedFields';
import { t } from '@/i18n/en';
import type { Country } from '@/lib/countries';
import { keepDraft, readDraft, readDraftStart } from '@/lib/draft-memory';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { FormActions } from '@/ui/FormActions';
import { Button } from '@/ui/kit';
import { check, FIELDS, isRequired, type ProfileValues, toProfileForm, valuesOf } from './profile-values';

const SHAPE = { fields: FIELDS, labels: t.account.fields, isRequired };

interface Props {
  profile: Profile;
  countries: LoadedChoices<Country>;
}

export function ProfileForm({ profile, countries }: Props) {
  const client = useQueryClient();
  // Events must not change an open form.
  const [start, setStart] = useState(() => valuesOf(profile));
  const draft = useDraftName('/account');
  const [typed] = useState(() => readDraft(draft, start));
  const fields = useFields(SHAPE, start, typed, false);
  const { values } = fields;
  const touched = useTouchedFields(start);
  const [draftStart] = useState(() => readDraftStart(draft, start));
  const meanwhile = useChangedMeanwhile(fields, draftStart);
  useEffect(() => {
    keepDraft(draft, start, values);
  }, [draft, start, values]);

  const save = useMutation({
    mutationFn: (values: ProfileValues) => updateProfile(formOf(touched(values))),
    onSuccess: async (saved, sent) => {
      await applyProfile(client, saved);
      const now = valuesOf(saved);
      setStart(now);
      // What was typed while the form was saved stays.
      for (const field of FIELDS) if (fields.latest(field) === sent[field]) fields.set(field, now[field]);
      alertSuccess(t.account.saved);
    },
    onError: (error) => {
      alertFailure(t.account.saveFailed, t.account.saved, messageOf(error));
      fields.showErrors(fieldErrors(error));
      meanwhile.show(error);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = check(values);
    fields.showErrors(wrong);
    if (Object.keys(wrong).length === 0) save.mutate(values);
  };

  const formOf = (sent: Partial<ProfileValues>) => ({ ...toProfileForm(sent), seen: meanwhile.seen(sent) });

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      {fields.isRestored && <RestoredNotice onDiscard={fields.discard} />}
      <div className={classes.fields}>
        <TextField fields={fields} name="email" fixed />
        <TextField fields={fields} name="firstname" />
        <TextField fields={fields} name="lastname" />
        <TextField fields={fields} name="city" />
        <CountryField fields={fields} countries={countries} />
        <StateField fields={fields} countries={countries} />
      </div>
      <ChangedNotice meanwhile={meanwhile} fields={fields} />
      <FormActions>
        <Button type="submit" loading={save.isPending}>
          {t.common.save}
        </Button>
      </FormActions>
      <LeaveGuard active={fields.isChanged} />
    </form>
  );
}
