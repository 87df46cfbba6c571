import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { applyProfile, updateProfile } from '@/api/account';
import { messageOf } from '@/api/errors';
import type { Profile } from '@/api/schema.gen';
import type { Country } from '@/domain/countries';
import { ChangedNotice } from '@/form/ChangedNotice';
import { CountryField } from '@/form/CountryField';
import classes from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import type { LoadedChoices } from '@/form/loaded-choices';
import { RestoredNotice } from '@/form/RestoredNotice';
import { StateField } from '@/form/StateField';
import { TextField } from '@/form/TextField';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { FormActions } from '@/ui/fields/FormActions';
import { Button } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { check, FIELDS, isRequired, toProfileForm, valuesOf } from './profile-values';

const SHAPE = { fields: FIELDS, labels: t.account.fields, isRequired };

interface Props {
  profile: Profile;
  countries: LoadedChoices<Country>;
}

export function ProfileForm({ profile, countries }: Props) {
  const client = useQueryClient();
  const form = useRecordForm({ shape: SHAPE, initial: () => valuesOf(profile), path: '/account' });
  const save = useMutation({
    mutationFn: updateProfile,
    onSuccess: async (saved) => {
      await applyProfile(client, saved);
      form.saved(valuesOf(saved));
      alertSuccess(t.account.saved);
    },
    onError: (error) => {
      alertFailure(t.account.saveFailed, t.account.saved, messageOf(error));
      form.refused(error);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = check(form.values);
    form.showErrors(wrong);
    if (Object.keys(wrong).length > 0) return;
    const { changes, seen } = form.submitChanges();
    save.mutate({ ...toProfileForm(changes), seen });
  };

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      <div className={classes.fields}>
        <TextField fields={form} name="email" fixed />
        <TextField fields={form} name="firstname" />
        <TextField fields={form} name="lastname" />
        <TextField fields={form} name="city" />
        <CountryField fields={form} countries={countries} />
        <StateField fields={form} countries={countries} />
      </div>
      <ChangedNotice meanwhile={form.meanwhile} fields={form} />
      <FormActions>
        <Button type="submit" loading={save.isPending}>
          {t.common.save}
        </Button>
      </FormActions>
      <LeaveGuard active={form.isChanged} onLeave={form.leave} />
    </form>
  );
}
