import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createCsp, rereadCsps, updateCsp } from '@/api/csps';
import { fieldErrors, messageOf } from '@/api/errors';
import type { CspForm, CspView } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';

interface Options {
  /** The id of the CSP to rename; undefined to add one. */
  id: string | undefined;
  onSaved: (csp: CspView) => void;
  /** Called with the reason, for the name field, and with the error. */
  onRefused: (reason: string, error: unknown) => void;
}

/** Adds or renames a CSP and shows the result. */
export function useSaveCsp({ id, onSaved, onRefused }: Options) {
  const client = useQueryClient();
  const [saved, failed] = id ? [t.csps.updated, t.csps.updateFailed] : [t.csps.added, t.csps.addFailed];
  return useMutation({
    mutationFn: (form: CspForm) => (id ? updateCsp(id, form) : createCsp(form)),
    onSuccess: (csp) => {
      alertSuccess(saved);
      onSaved(csp);
    },
    onError: (error) => {
      alertFailure(failed, saved, messageOf(error));
      onRefused(fieldErrors(error).name ?? messageOf(error), error);
    },
    // Also after a failure, because another user may have changed the CSP.
    onSettled: () => void rereadCsps(client),
  });
}
