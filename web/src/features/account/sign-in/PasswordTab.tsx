import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { applyPassword, updatePassword } from '@/api/account';
import { fieldErrors, isCode, isStatus, messageOf } from '@/api/errors';
import classes from '@/form/Form.module.css';
import { LeaveGuard } from '@/form/LeaveGuard';
import { PasswordField } from '@/form/PasswordField';
import { confirmationError, passwordError } from '@/form/password-rule';
import type { FieldErrors, Values } from '@/form/useFields';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { FormActions } from '@/ui/fields/FormActions';
import { Button, Stack, Text } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

const FIELDS = ['current', 'new', 'confirmation'] as const;
type Field = (typeof FIELDS)[number];

const SHAPE = { fields: FIELDS, labels: t.account.passwords, isRequired: () => true };
const EMPTY = { current: '', new: '', confirmation: '' };

/** Changes the password, which requires the current one. No draft is stored. */
export function PasswordTab() {
  const client = useQueryClient();
  const navigate = useNavigate();
  const form = useRecordForm({ shape: SHAPE, initial: () => EMPTY });
  const save = useMutation({
    mutationFn: updatePassword,
    onSuccess: (session) => {
      applyPassword(client, session);
      form.saved(EMPTY);
      alertSuccess(t.account.passwordSaved);
    },
    onError: (error) => {
      if (isCode(error, 'not_signed_in_anew')) {
        alertFailure(t.account.notSignedInAnew);
        void navigate({ to: '/signout', replace: true, ignoreBlocker: true });
        return;
      }
      alertFailure(t.account.passwordFailed, t.account.passwordSaved, messageOf(error));
      form.showErrors(isStatus(error, 429) ? { current: messageOf(error) } : fieldErrors(error));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const wrong = check(form.values);
    form.showErrors(wrong);
    if (Object.keys(wrong).length > 0) return;
    const { current, new: password } = form.submitAll();
    save.mutate({ current, new: password });
  };

  return (
    <form className={classes.form} noValidate onSubmit={submit}>
      <Text size="sm" c="dimmed">
        {t.account.passwordLead}
      </Text>
      <Stack maw={420}>
        <PasswordField fields={form} name="current" autoComplete="current-password" />
        <PasswordField fields={form} name="new" autoComplete="new-password" description={t.form.password.rule} />
        <PasswordField fields={form} name="confirmation" autoComplete="new-password" />
      </Stack>
      <FormActions>
        <Button type="submit" loading={save.isPending}>
          {t.common.save}
        </Button>
      </FormActions>
      <LeaveGuard active={form.isChanged} />
    </form>
  );
}

/** The errors that the server would certainly return, in its words, and those of the repeated password. */
function check(values: Values<Field>): FieldErrors<Field> {
  const errors = {
    current: values.current ? undefined : t.form.required,
    new: passwordError(values.new),
    confirmation: confirmationError(values.new, values.confirmation),
  };
  return Object.fromEntries(Object.entries(errors).filter(([, error]) => error));
}
