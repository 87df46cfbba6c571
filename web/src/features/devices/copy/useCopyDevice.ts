import { useMutation, useQueryClient } from '@tanstack/react-query';
import { copyDevice, rereadDevices } from '@/api/devices';
import { messageOf } from '@/api/errors';
import type { CopyForm, Job } from '@/api/schema.gen';
import { useFollowedJob } from '@/form/job/useFollowedJob';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { failureText } from './failure-text';

interface Options {
  dsn: string;
  onCopied: () => void;
  /** Called with the devices that were not changed. */
  onFailed: (dsns: string[]) => void;
}

/** Starts the copy, follows it and shows the result. */
export function useCopyDevice({ dsn, onCopied, onFailed }: Options) {
  const client = useQueryClient();
  const job = useFollowedJob(`copy/${dsn}`);
  const start = useMutation({
    mutationFn: (form: CopyForm) => copyDevice(dsn, form),
    onSuccess: job.follow,
    onError: (error) => alertFailure(t.deviceForm.updateFailed(messageOf(error)), t.copy.copied),
  });
  const onEnded = ({ unfinished, state, can }: Job) => {
    job.hasEnded();
    void rereadDevices(client);
    if (unfinished.length === 0) {
      alertSuccess(t.copy.copied, can.undo ? t.jobs.undoableLater : undefined);
      onCopied();
      return;
    }
    onFailed(unfinished.map((target) => target.dsn));
    if (state !== 'cancelled') alertFailure(t.deviceForm.updateFailed(failureText(unfinished)), t.copy.copied);
  };
  return { job, start, isBusy: start.isPending || job.isRunning, onEnded };
}
