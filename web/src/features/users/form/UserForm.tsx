import { type FormEvent, type ReactNode, useEffect, useState } from 'react';
import { fieldErrors } from '@/api/errors';
import type { User } from '@/api/schema.gen';
import { ChangedNotice } from '@/form/ChangedNotice';
import { CountryField } from '@/form/CountryField';
import classes from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { RestoredNotice } from '@/form/RestoredNotice';
import { StateField } from '@/form/StateField';
import { TextField } from '@/form/TextField';
import { useChangedMeanwhile } from '@/form/useChangedMeanwhile';
import { useDraftName } from '@/form/useDraftName';
import { useFields } from '@/form/useFields';
import { useTouchedFields } from '@/form/useTouchedFields';
import { t } from '@/i18n/en';
import { forgetDraft, keepDraft, readDraft, readDraftStart } from '@/lib/draft-memory';
import { Card } from '@/ui/Card';
import { FormActions } from '@/ui/FormActions';
import { Button } from '@/ui/kit';
import { AccessSection } from './AccessSection';
import { PasswordSection } from './PasswordSection';
import { check, isRequired } from './user-rules';
import { draftOf, FIELDS, newUserValues, toUserForm, valuesOf } from './user-values';
import { useSaveUser } from './useSaveUser';
import { needsCsp, roleChoices, type UserFormChoices } from './useUserFormChoices';

const SHAPE = { fields: FIELDS, labels: t.userForm.fields, isRequired };

interface Props {
  /** The user to edit; undefined for an invitation. */
  user?: User;
  formChoices: UserFormChoices;
  /** A notice about the whole form. */
  notice?: ReactNode;
  /** The link back. */
  cancel: ReactNode;
  onSaved: () => void;
}

export function UserForm({ user, formChoices, notice, cancel, onSaved }: Props) {
  const isNew = user === undefined;
  const disabled = !isNew && !user.can.edit;
  // Events must not change an open form.
  const [start] = useState(() => (user ? valuesOf(user) : newUserValues(formChoices.roles)));
  const draft = useDraftName(user ? `/users/${user.id}` : '/users/invite');
  const [typed] = useState(() => (disabled ? undefined : readDraft(draft, start)));
  const [draftStart] = useState(() => readDraftStart(draft, start));
  const fields = useFields(SHAPE, start, typed, disabled);
  const { values } = fields;
  useEffect(() => {
    keepDraft(draft, start, draftOf(values));
  }, [draft, start, values]);

  const meanwhile = useChangedMeanwhile(fields, draftStart);
  const touched = useTouchedFields(start);
  const save = useSaveUser({
    id: user?.id,
    update: (values) => {
      const sent = touched(values);
      return { ...toUserForm(sent), seen: meanwhile.seen(sent) };
    },
    onSaved: () => {
      forgetDraft(draft);
      onSaved();
    },
    onRefused: (error) => {
      fields.showErrors(fieldErrors(error));
      meanwhile.show(error);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = check(values, {
      isNew,
      csp: formChoices.csps !== undefined && needsCsp(formChoices.roles, values.role),
    });
    if (Object.keys(wrong).length === 0) save.mutate(values);
    else fields.showErrors(wrong);
  };

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      {notice}
      {fields.isRestored && <RestoredNotice onDiscard={fields.discard} />}
      <AccessSection fields={fields} formChoices={formChoices} user={user} />
      <Card title={t.userForm.person}>
        <div className={classes.fields}>
          <TextField fields={fields} name="firstname" />
          <TextField fields={fields} name="lastname" />
          <TextField fields={fields} name="company" />
          <TextField fields={fields} name="businessRole" />
          <TextField fields={fields} name="phone" inputMode="tel" spellCheck={false} />
        </div>
      </Card>
      <Card title={t.userForm.address}>
        <div className={classes.fields}>
          <TextField fields={fields} name="city" />
          <StateField fields={fields} countries={formChoices.countries} />
          <CountryField fields={fields} countries={formChoices.countries} />
        </div>
      </Card>
      {isNew && <PasswordSection fields={fields} />}
      <ChangedNotice
        meanwhile={meanwhile}
        fields={fields}
        valueText={(field, value) =>
          field === 'role'
            ? roleChoices(formChoices.roles, user).find((role) => role.value === value)?.label
            : undefined
        }
      />
      <FormActions>
        <Button type="submit" loading={save.isPending} disabled={disabled}>
          {isNew ? t.userForm.invite : t.common.save}
        </Button>
        {cancel}
      </FormActions>
      <LeaveGuard active={fields.isChanged && !save.isSuccess} />
    </form>
  );
}
