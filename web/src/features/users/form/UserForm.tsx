import { type FormEvent, type ReactNode, useState } from 'react';
import type { User } from '@/api/schema.gen';
import { ChangedNotice } from '@/form/ChangedNotice';
import { CountryField } from '@/form/CountryField';
import classes from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { RestoredNotice } from '@/form/RestoredNotice';
import { StateField } from '@/form/StateField';
import { TextField } from '@/form/TextField';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { FormActions } from '@/ui/fields/FormActions';
import { Button } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { AccessSection } from './AccessSection';
import { PasswordSection } from './PasswordSection';
import { check, isRequired } from './user-rules';
import { FIELDS, newUserValues, SECRET, toInvitation, toUserForm, valuesOf } from './user-values';
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
  /** `isDone` is false if something was typed while a new user was saved, which the user's own form continues. */
  onSaved: (id: string, isDone: boolean) => void;
}

export function UserForm({ user, formChoices, notice, cancel, onSaved }: Props) {
  const isNew = user === undefined;
  const [ownPassword, setOwnPassword] = useState(false);
  const disabled = !isNew && !user.can.edit;
  const form = useRecordForm({
    shape: SHAPE,
    initial: () => (user ? valuesOf(user) : newUserValues(formChoices.roles)),
    path: user ? `/users/${user.id}` : '/users/invite',
    disabled,
    secret: SECRET,
  });
  const save = useSaveUser({
    id: user?.id,
    onSaved: (id) => {
      const isDone = form.saved(undefined, isNew ? { path: `/users/${id}`, fixed: ['email'] } : undefined);
      if (isDone || isNew) onSaved(id, isDone);
    },
    onRefused: form.refused,
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = check(form.values, {
      isNew,
      ownPassword,
      csp: formChoices.csps !== undefined && needsCsp(formChoices.roles, form.values.role),
    });
    if (Object.keys(wrong).length > 0) form.showErrors(wrong);
    else if (isNew) save.mutate(toInvitation(form.submitAll(), ownPassword));
    else {
      const { changes, seen } = form.submitChanges();
      save.mutate({ ...toUserForm(changes), seen });
    }
  };

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      {notice}
      {form.isRestored && <RestoredNotice onDiscard={form.discard} />}
      <AccessSection fields={form} formChoices={formChoices} user={user} />
      <Card title={t.userForm.person}>
        <div className={classes.fields}>
          <TextField fields={form} name="firstname" />
          <TextField fields={form} name="lastname" />
          <TextField fields={form} name="company" />
          <TextField fields={form} name="businessRole" />
          <TextField fields={form} name="phone" inputMode="tel" spellCheck={false} />
        </div>
      </Card>
      <Card title={t.userForm.address}>
        <div className={classes.fields}>
          <TextField fields={form} name="city" />
          <StateField fields={form} countries={formChoices.countries} />
          <CountryField fields={form} countries={formChoices.countries} />
        </div>
      </Card>
      {isNew && <PasswordSection fields={form} isOwn={ownPassword} onOwn={setOwnPassword} />}
      <ChangedNotice
        meanwhile={form.meanwhile}
        fields={form}
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
      <LeaveGuard active={form.isChanged} onLeave={form.leave} />
    </form>
  );
}
