import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applyDeviceDetail, rereadDevice, updateDeviceSchedule } from '@/api/devices';
import { ApiError, hasNoAnswer, isCode, isUnreachable, messageOf } from '@/api/errors';
import { isOnlyRequested } from '@/api/requested';
import type { ScheduleForm, ScheduleFrame } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { rememberSavedSchedule } from './saved-schedule';

/** The errors of refused frames by number. */
export type Refusals = Record<number, string>;

interface Options {
  dsn: string;
  onSaved: (frames: readonly ScheduleFrame[]) => void;
  onRefused: (refusals: Refusals, error: ApiError) => void;
}

/** Stores frames of the schedule and shows the result. */
export function useSaveSchedule({ dsn, onSaved, onRefused }: Options) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (form: ScheduleForm) => updateDeviceSchedule(dsn, form),
    onSuccess: (device, { frames }) => {
      applyDeviceDetail(client, device);
      rememberSavedSchedule(client, dsn);
      const isRequested = isOnlyRequested(device, 'schedule');
      alertSuccess(t.scheduleForm.saved, isRequested ? t.device.takenOverLater : undefined);
      onSaved(frames ?? []);
    },
    onError: (error) => {
      const text = isUnreachable(error) ? t.scheduleForm.unanswered : t.deviceForm.updateFailed;
      alertFailure(text(messageOf(error)), t.scheduleForm.saved);
      // The schedule may have been saved although the response is lost.
      if (isCode(error, 'changed') || hasNoAnswer(error)) rereadDevice(client, dsn);
      if (error instanceof ApiError) onRefused(refusalsOf(error), error);
    },
  });
}

/** The server names number and field, '3.start'. Both fields of a time can have the same error. */
function refusalsOf({ fields }: ApiError): Refusals {
  const texts: Record<number, Set<string>> = {};
  for (const [field, refused] of Object.entries(fields)) {
    const number = Number.parseInt(field, 10);
    if (number) texts[number] = new Set([...(texts[number] ?? []), ...refused]);
  }
  return Object.fromEntries(Object.entries(texts).map(([number, texts]) => [number, [...texts].join('. ')]));
}
