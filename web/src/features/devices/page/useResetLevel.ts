import { useMutation, useQueryClient } from '@tanstack/react-query';
import { applyDeviceDetail, rereadDevice } from '@/api/devices';
import { hasNoAnswer, isStatus, isUnreachable, messageOf } from '@/api/errors';
import { keepUndoableReset, resetFragranceLevel, undoLevelReset } from '@/api/level-reset';
import type { LevelReset } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { alertFailure, alertSuccess } from '@/ui/notices/alerts';
import { settingText } from '../settings/setting-text';

const FULL = settingText.remaining(100);
const UNUSED = t.devicePage.reset.life(0);

/** Resets the level after a new cartridge. It takes effect at once and can be undone for a while. */
export function useResetLevel(dsn: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => resetFragranceLevel(dsn),
    onSuccess: ({ reset, ...device }) => {
      applyDeviceDetail(client, device);
      keepUndoableReset(client, dsn, reset);
      // The page shows the reset that can be undone.
      alertSuccess(t.device.levelReset, reset.undo ? undefined : resetText(reset));
    },
    onError: (error) => {
      // The level may have been reset although the response is lost.
      if (hasNoAnswer(error)) rereadDevice(client, dsn);
      const text = isUnreachable(error) ? t.device.levelResetUnanswered : t.device.levelResetFailed;
      alertFailure(text, t.device.levelReset, messageOf(error));
    },
  });
}

export function useUndoReset(dsn: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ id }: Restored) => undoLevelReset(dsn, id),
    onSuccess: (device, before) => {
      applyDeviceDetail(client, device);
      keepUndoableReset(client, dsn, null);
      alertSuccess(t.devicePage.reset.undone, undoText(before));
    },
    onError: (error) => {
      // The undo came too late or the level has changed; a retry would not help.
      if (isStatus(error, 409)) keepUndoableReset(client, dsn, null);
      if (isStatus(error, 409) || hasNoAnswer(error)) rereadDevice(client, dsn);
      const text = isUnreachable(error) ? t.devicePage.reset.undoUnanswered : t.devicePage.reset.undoFailed;
      alertFailure(text(messageOf(error)), t.devicePage.reset.undone);
    },
  });
}

type Before = Pick<LevelReset, 'fragranceRemaining' | 'cartridgeLife'>;
type Restored = Before & { id: string };

/** Describes the reset. */
export function resetText({ fragranceRemaining, cartridgeLife }: Before): string {
  return changeText([settingText.remaining(fragranceRemaining), FULL], [lifeText(cartridgeLife), UNUSED]);
}

function undoText({ fragranceRemaining, cartridgeLife }: Before): string {
  return changeText([FULL, settingText.remaining(fragranceRemaining)], [UNUSED, lifeText(cartridgeLife)]);
}

type Step = [from: string, to: string];

function changeText(level: Step, life: Step): string {
  const { reset } = t.devicePage;
  return `${reset.level(...level)}, ${reset.hours(...life)}`;
}

function lifeText(hours: number | null): string {
  return hours === null ? t.device.unknown : t.devicePage.reset.life(hours);
}
