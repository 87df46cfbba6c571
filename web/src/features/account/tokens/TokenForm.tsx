import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { createAccountToken } from '@/api/account';
import { fieldErrors, isStatus, messageOf } from '@/api/errors';
import type { TokenRight } from '@/api/schema.gen';
import classes from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { PasswordField } from '@/form/PasswordField';
import { SelectField } from '@/form/SelectField';
import { TextField } from '@/form/TextField';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { Button, Checkbox, Group, Stack, Title } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

/** The rights are a list with commas. */
const FIELDS = ['name', 'days', 'rights', 'password'] as const;
const SHAPE = { fields: FIELDS, labels: t.account.tokenFields, isRequired: () => true };
const EMPTY = { name: '', days: '90', rights: '', password: '' };
const DAYS = Object.entries(t.account.tokenDays).map(([value, label]) => ({ value, label }));
const RIGHTS = Object.keys(t.account.tokenRights) as TokenRight[];

interface Props {
  /** Called with the token, which is in no other response. */
  onCreated: (token: string) => void;
}

/** Creates an access token, which requires the password. No draft is stored. */
export function TokenForm({ onCreated }: Props) {
  const form = useRecordForm({ shape: SHAPE, initial: () => EMPTY });
  const rights = form.values.rights.split(',').filter(Boolean) as TokenRight[];
  const showErrors = ({ expiresInDays, ...errors }: Record<string, string | undefined>) =>
    form.showErrors(expiresInDays ? { ...errors, days: expiresInDays } : errors);
  const create = useMutation({
    mutationFn: createAccountToken,
    onSuccess: ({ token }) => {
      form.saved(EMPTY);
      alertSuccess(t.account.tokenCreated);
      onCreated(token);
    },
    onError: (error) => {
      const errors = isStatus(error, 429) ? { password: messageOf(error) } : fieldErrors(error);
      alertFailure(t.account.tokenFailed, t.account.tokenCreated, messageOf(error));
      showErrors(errors);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, days, password } = form.submitAll();
    // The errors that the server would certainly return, in its words.
    const missing = { name: name.trim() === '', rights: rights.length === 0, password: password === '' };
    const wrong = Object.entries(missing).filter(([, isMissing]) => isMissing);
    showErrors(Object.fromEntries(wrong.map(([field]) => [field, t.form.required])));
    if (wrong.length === 0) create.mutate({ name, rights, expiresInDays: Number(days), password });
  };

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <Title order={2} size={18}>
        {t.account.newToken}
      </Title>
      <Stack maw={420}>
        <TextField fields={form} name="name" />
        <SelectField fields={form} name="days" choices={DAYS} />
        <Checkbox.Group
          label={t.account.tokenFields.rights}
          value={rights}
          onChange={(rights) => form.set('rights', rights.join())}
          error={form.errors.rights}
          errorProps={{ role: 'alert', mt: 8 }}
          required
        >
          <Stack gap="sm" mt="xs">
            {RIGHTS.map((right) => (
              <Checkbox key={right} value={right} label={t.account.tokenRights[right]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <PasswordField fields={form} name="password" autoComplete="current-password" />
      </Stack>
      <Group>
        <Button type="submit" loading={create.isPending}>
          {t.account.createToken}
        </Button>
      </Group>
      <LeaveGuard active={form.isChanged} />
    </form>
  );
}
