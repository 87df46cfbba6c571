import { useQueryClient } from '@tanstack/react-query';
import type { User } from '@/api/schema.gen';
import { dropUser, removeUser } from '@/api/user-form';
import { RemoveButton } from '@/form/RemoveButton';
import { t } from '@/i18n/en';
import { Text } from '@/ui/kit';

interface Props {
  user: User;
  onRemoved: () => Promise<void>;
}

/** Removes the user after confirmation. */
export function RemoveUserButton({ user: { id, email }, onRemoved }: Props) {
  const client = useQueryClient();
  return (
    <RemoveButton
      label={t.userForm.remove}
      texts={t.userForm}
      remove={() => removeUser(id)}
      onRemoved={async () => {
        // The user's page would read the removed user again.
        await onRemoved();
        await dropUser(client, id);
      }}
    >
      <Text>{t.userForm.removeQuestion(email)}</Text>
      <Text>{t.userForm.removeWarning}</Text>
    </RemoveButton>
  );
}
