import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { fieldErrors, isStatus, messageOf } from '@/api/errors';
import type { Passkey } from '@/api/schema.gen';
import { renamePasskey } from '@/api/second-factor';
import { LeaveGuard } from '@/form/LeaveGuard';
import { TextField } from '@/form/TextField';
import { useRecordForm } from '@/form/useRecordForm';
import { t } from '@/i18n/en';
import { Dialog } from '@/ui/dialogs/Dialog';
import { Button, Group, Stack } from '@/ui/kit';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

const SHAPE = { fields: ['name'] as const, labels: { name: t.passkeys.name }, isRequired: () => true };

interface Props {
  passkey: Passkey;
  onRenamed: () => void;
  onClose: () => void;
}

/** Gives a passkey another name. */
export function PasskeyNameDialog({ passkey, onRenamed, onClose }: Props) {
  const fields = useRecordForm({ shape: SHAPE, initial: () => ({ name: passkey.name }) });
  const rename = useMutation({
    mutationFn: (name: string) => renamePasskey(passkey.id, name),
    onSuccess: () => {
      alertSuccess(t.passkeys.renamed);
      onRenamed();
    },
    onError: (error) => {
      alertFailure(t.passkeys.renameFailed, t.passkeys.renamed, messageOf(error));
      fields.showErrors(isStatus(error, 422) ? fieldErrors(error) : { name: messageOf(error) });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const name = fields.values.name.trim();
    // Skipped after the form unmounts, so a late save does not close the next dialog.
    if (!name) return fields.showErrors({ name: t.form.required });
    fields.submitAll();
    rename.mutate(name, { onSuccess: () => fields.saved({ name }) && onClose() });
  };
  return (
    <Dialog title={t.passkeys.renaming} opened onClose={onClose}>
      <form noValidate onSubmit={submit}>
        <Stack>
          <TextField fields={fields} name="name" />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t.common.cancel}
            </Button>
            <Button type="submit" loading={rename.isPending}>
              {t.passkeys.rename}
            </Button>
          </Group>
        </Stack>
        <LeaveGuard active={fields.isChanged} />
      </form>
    </Dialog>
  );
}
