import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { createAccountToken } from '@/api/account';
import { fieldErrors, isStatus, messageOf } from '@/api/errors';
import type { TokenRight } from '@/api/schema.gen';
import classes from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { PasswordField } from '@/form/PasswordField';
import { SelectField } from '@/form/SelectField';
import { TextField } from '@/form/TextField';
import { useFields } from '@/form/useFields';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { Button, Checkbox, Group, Stack, Title } from '@/ui/kit';

const FIELDS = ['name', 'days', 'password'] as const;
const SHAPE = { fields: FIELDS, labels: t.account.tokenFields, isRequired: () => true };
const EMPTY = { name: '', days: '90', password: '' };
const DAYS = Object.entries(t.account.tokenDays).map(([value, label]) => ({ value, label }));
const RIGHTS = Object.keys(t.account.tokenRights) as TokenRight[];

interface Props {
  /** Called with the token, which is in no other response. */
  onCreated: (token: string) => void;
}

/** Creates an access token, which requires the password. No draft is stored. */
export function TokenForm({ onCreated }: Props) {
  const fields = useFields(SHAPE, EMPTY, undefined, false);
  const [rights, setRights] = useState<TokenRight[]>([]);
  const [rightsError, setRightsError] = useState<string>();
  const showErrors = ({ rights, expiresInDays, ...errors }: Record<string, string | undefined>) => {
    setRightsError(rights);
    fields.showErrors(expiresInDays ? { ...errors, days: expiresInDays } : errors);
  };
  const create = useMutation({
    mutationFn: createAccountToken,
    onSuccess: ({ token }) => {
      fields.discard();
      setRights([]);
      alertSuccess(t.account.tokenCreated);
      onCreated(token);
    },
    onError: (error) => {
      const errors = isStatus(error, 429) ? { password: messageOf(error) } : fieldErrors(error);
      const reason = Object.keys(errors).length === 0 ? `. ${messageOf(error)}` : '';
      alertFailure(`${t.account.tokenFailed}${reason}`, t.account.tokenCreated);
      showErrors(errors);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { name, days, password } = fields.values;
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
        <TextField fields={fields} name="name" />
        <SelectField fields={fields} name="days" choices={DAYS} />
        <Checkbox.Group
          label={t.account.tokenFields.rights}
          value={rights}
          onChange={(rights) => setRights(rights as TokenRight[])}
          error={rightsError}
          errorProps={{ role: 'alert', mt: 8 }}
          required
        >
          <Stack gap="sm" mt="xs">
            {RIGHTS.map((right) => (
              <Checkbox key={right} value={right} label={t.account.tokenRights[right]} />
            ))}
          </Stack>
        </Checkbox.Group>
        <PasswordField fields={fields} name="password" autoComplete="current-password" />
      </Stack>
      <Group>
        <Button type="submit" loading={create.isPending}>
          {t.account.createToken}
        </Button>
      </Group>
      <LeaveGuard active={fields.isChanged || rights.length > 0} />
    </form>
  );
}
