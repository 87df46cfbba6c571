import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { fieldErrors, messageOf } from '@/api/errors';
import { applyUser, inviteUser, refreshUser, rereadUsers, updateUser } from '@/api/user-form';
import type { FieldErrors } from '@/form/useFields';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';
import { FIELDS, type Field, toInvitation, toUserForm, type UserValues } from './user-values';

interface Options {
  /** Of the person who is changed; undefined for one who is invited. */
  id: string | undefined;
  /** The fields of a person who is changed that were touched. */
  touched: (values: UserValues) => Partial<UserValues>;
  onSaved: () => void;
  onRefused: (errors: FieldErrors<Field>) => void;
}

/** Invites or changes somebody, and shows the outcome. */
export function useSaveUser({ id, touched, onSaved, onRefused }: Options) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (values: UserValues) =>
      id ? updateUser(id, toUserForm(touched(values))) : inviteUser(toInvitation(values)),
    onSuccess: (saved) => {
      void followUp(client, saved.id);
      alertSuccess(id ? t.userForm.updated : t.userForm.invited);
      onSaved();
    },
    onError: (error) => {
      const errors = fieldErrors(error);
      if (id) alertFailure(t.userForm.updateFailed, t.userForm.updated);
      // Of an invitation the fields tell, if one of them is to blame.
      else if (!FIELDS.some((field) => errors[field])) {
        alertFailure(t.userForm.inviteFailed(messageOf(error)), t.userForm.invited);
      }
      onRefused(errors);
      // A change of role may have gone half way: saving again goes on from what is true by now.
      void rereadUsers(client);
    },
  });
}

/** The save stands, whatever becomes of this. */
async function followUp(client: QueryClient, id: string): Promise<void> {
  try {
    applyUser(client, await refreshUser(id));
  } catch (error) {
    console.warn('a user was saved, but not read again:', messageOf(error));
  }
  await rereadUsers(client);
}
