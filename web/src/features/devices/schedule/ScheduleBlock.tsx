import { IconPencil } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { isOnlyRequested, shownSetting } from '@/api/requested';
import type { DeviceDetail } from '@/api/schema.gen';
import { weekTimeIn } from '@/browser/time';
import { MODE } from '@/domain/settings-rules';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { Button, Stack } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { ZoneNote } from '@/ui/values/ZoneNote';
import { CommandMark } from '../settings/CommandMark';
import { intensityText } from '../settings/known-state';
import { settingText } from '../settings/setting-text';
import { FrameList } from './FrameList';
import classes from './ScheduleBlock.module.css';
import { ignoresSchedule, SwitchToRunButton } from './SwitchToRun';
import { stateText } from './state-text';
import { WeekChart } from './WeekChart';

/** The weekly schedule of a device and its running frame, in the device's local time. */
export function ScheduleBlock({ device }: { device: DeviceDetail }) {
  const now = weekTimeIn(device.timeZone, useNow());
  const { schedule, shownIntensity, commands } = device;
  const frames = schedule.filter(({ active }) => active);
  const { requested } = shownSetting(device, 'intensity');
  const isRequested = isOnlyRequested(device, 'schedule');
  // A schedule that the device does not have yet is not running.
  const running = isRequested ? null : shownIntensity.schedule;
  const isRun = shownSetting(device, 'mode').value === MODE.run;
  const state = isRun && !isRequested && stateText(frames, running, now);
  return (
    <Card title={t.schedule.title} actions={device.can.edit && <EditButton dsn={device.dsn} />}>
      <Stack gap="sm">
        <p className={classes.now}>
          <span>{intensityText(device, now)}</span>
          {requested !== undefined && (
            <span className={classes.soft}>{t.device.requested(settingText.intensity(requested))}</span>
          )}
          {!isRun && <span className={classes.soft}>{t.schedule.onlyInRun}</span>}
          {state && <span className={classes.soft}>{state}</span>}
          {device.can.edit && ignoresSchedule(device) && <SwitchToRunButton dsn={device.dsn} />}
        </p>
        {commands.schedule && <CommandMark command={commands.schedule} />}
        {isRequested && <p className={classes.soft}>{t.schedule.requested}</p>}
        {frames.length === 0 ? (
          <p className={classes.soft}>{t.schedule.empty}</p>
        ) : (
          <>
            <ZoneNote />
            <WeekChart frames={frames} running={running} now={now} />
            <FrameList frames={frames} running={running} />
          </>
        )}
      </Stack>
    </Card>
  );
}

function EditButton({ dsn }: { dsn: string }) {
  return (
    <Button
      variant="default"
      leftSection={<IconPencil size={18} aria-hidden="true" />}
      renderRoot={(props) => (
        <Link to="/devices/$dsn/edit/schedule" params={{ dsn }} state={{ fromDevice: true }} {...props} />
      )}
    >
      {t.scheduleForm.edit}
    </Button>
  );
}
