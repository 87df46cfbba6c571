import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createCsp, rereadCsps, updateCsp } from '@/api/csps';
import { fieldErrors, messageOf } from '@/api/errors';
import type { CspForm } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/alerts';

interface Options {
  /** Of the CSP that is renamed; undefined for one that is added. */
  id: string | undefined;
  onSaved: () => void;
  /** With the reason: there is nothing but the name that could be to blame. */
  onRefused: (reason: string) => void;
}

/** Adds or renames a CSP, and shows the outcome. */
export function useSaveCsp({ id, onSaved, onRefused }: Options) {
  const client = useQueryClient();
  const [saved, failed] = id ? [t.csps.updated, t.csps.updateFailed] : [t.csps.added, t.csps.addFailed];
  return useMutation({
    mutationFn: (form: CspForm) => (id ? updateCsp(id, form) : createCsp(form)),
    onSuccess: () => {
      alertSuccess(saved);
      onSaved();
    },
    onError: (error) => {
      alertFailure(failed, saved);
      onRefused(fieldErrors(error).name ?? messageOf(error));
    },
    // Also after a failure: somebody may have changed what is shown.
    onSettled: () => void rereadCsps(client),
  });
}
