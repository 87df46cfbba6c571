import { useQuery } from '@tanstack/react-query';
import { shownSetting } from '@/api/requested';
import type { DeviceDetail } from '@/api/schema.gen';
import { MODE } from '@/domain/settings-rules';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { InfoNotice } from '@/ui/notices/Notice';
import { useSaveSettings } from '../settings/useSaveSettings';
import { savedScheduleQuery } from './saved-schedule';

/** Whether the device has an active schedule, but neither is in Run mode nor was requested to be. */
export function ignoresSchedule(device: DeviceDetail): boolean {
  const { value, requested } = shownSetting(device, 'mode');
  return (requested ?? value) !== MODE.run && device.schedule.some(({ active }) => active);
}

/** On the device page, after saving a schedule that the mode of the device ignores. */
export function IgnoredScheduleNotice({ device }: { device: DeviceDetail }) {
  const { data: isSaved } = useQuery(savedScheduleQuery(device.dsn));
  if (!isSaved || !ignoresSchedule(device) || !device.can.edit) return null;
  return <InfoNotice text={t.schedule.notInEffect} action={<SwitchToRunButton dsn={device.dsn} />} />;
}

export function SwitchToRunButton({ dsn }: { dsn: string }) {
  const save = useSaveSettings(dsn);
  return (
    <Button
      size="compact-sm"
      variant="default"
      loading={save.isPending}
      onClick={() => save.mutate({ mode: MODE.run })}
    >
      {t.schedule.switchToRun}
    </Button>
  );
}
