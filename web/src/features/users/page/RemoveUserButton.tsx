import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { rereadAttention } from '@/api/attention';
import type { User } from '@/api/schema.gen';
import { useCan } from '@/api/session';
import { dropUser, removeUser } from '@/api/user-form';
import { RemoveButton } from '@/form/RemoveButton';
import { t } from '@/i18n/en';
import { Text } from '@/ui/kit';
import { OpenItems } from './OpenItems';

interface Props {
  user: User;
  onRemoved: () => Promise<void>;
}

/** Removes the user after confirmation. */
export function RemoveUserButton({ user, onRemoved }: Props) {
  const { id, email } = user;
  const client = useQueryClient();
  const [successor, chooseSuccessor] = useState<string | null>(null);
  const mayAssign = useCan('attention.edit');
  return (
    <RemoveButton
      label={t.userForm.remove}
      texts={t.userForm}
      remove={() => removeUser(id, successor)}
      onRemoved={async () => {
        // The user's page would read the removed user again.
        await onRemoved();
        await dropUser(client, id);
        await rereadAttention(client);
      }}
    >
      <Text>{t.userForm.removeQuestion(email)}</Text>
      <Text>{t.userForm.removeWarning}</Text>
      {mayAssign && <OpenItems user={user} successor={successor} onChoose={chooseSuccessor} />}
    </RemoveButton>
  );
}
