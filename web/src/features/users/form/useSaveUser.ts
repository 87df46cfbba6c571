import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { fieldErrors, messageOf } from '@/api/errors';
import type { Invitation, UserForm } from '@/api/schema.gen';
import { applyUser, inviteUser, refreshUser, rereadUsers, updateUser } from '@/api/user-form';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { FIELDS } from './user-values';

interface Options {
  /** The id of the edited user; undefined for an invitation. */
  id: string | undefined;
  onSaved: (id: string) => void;
  onRefused: (error: unknown) => void;
}

/** Invites or edits a user and shows the result. */
export function useSaveUser({ id, onSaved, onRefused }: Options) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (form: Invitation | UserForm) => (id ? updateUser(id, form) : inviteUser(form as Invitation)),
    onSuccess: (saved) => {
      void followUp(client, saved.id);
      alertSuccess(id ? t.userForm.updated : t.userForm.invited);
      onSaved(saved.id);
    },
    onError: (error) => {
      const errors = fieldErrors(error);
      if (id) alertFailure(t.userForm.updateFailed, t.userForm.updated, messageOf(error));
      // Field errors of an invitation are shown at the fields.
      else if (!FIELDS.some((field) => errors[field])) {
        alertFailure(t.userForm.inviteFailed(messageOf(error)), t.userForm.invited);
      }
      onRefused(error);
      // A change of role may be half done; saving again continues from the current state.
      void rereadUsers(client);
    },
  });
}

/** Failures are ignored, because the save has succeeded. */
async function followUp(client: QueryClient, id: string): Promise<void> {
  try {
    applyUser(client, await refreshUser(id));
  } catch (error) {
    console.warn('a user was saved, but not read again:', messageOf(error));
  }
  await rereadUsers(client);
}
