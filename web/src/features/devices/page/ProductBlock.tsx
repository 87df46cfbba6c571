import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { useState } from 'react';
import { isOnlyRequested, shownSetting } from '@/api/requested';
import type { DeviceDetail } from '@/api/schema.gen';
import { ago } from '@/browser/time';
import { instant } from '@/domain/instant';
import { isOn, MODE } from '@/domain/settings-rules';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { Button } from '@/ui/kit';
import { Card } from '@/ui/layout/Card';
import { StepMark } from '@/ui/values/StepMark';
import { ZonedTime } from '@/ui/values/ZonedTime';
import { DeviceStatus } from '../DeviceStatus';
import { frameTimes } from '../schedule/frame-times';
import { IntensityTile } from '../settings/IntensityTile';
import { isPaused } from '../settings/known-state';
import { LevelTile } from '../settings/LevelTile';
import { SettingsDialog } from '../settings/SettingsDialog';
import { settingText } from '../settings/setting-text';
import { Tile } from '../settings/Tile';
import classes from './ProductBlock.module.css';

/** Level and intensity first, then the other settings. */
export function ProductBlock({ device }: { device: DeviceDetail }) {
  const [editing, setEditing] = useState(false);
  const { commands } = device;
  const mode = shownSetting(device, 'mode');
  const cycle = shownSetting(device, 'cycle');
  const fan = shownSetting(device, 'fan');
  return (
    <Card
      title={t.device.product}
      actions={
        device.can.edit && (
          <Button leftSection={<IconAdjustmentsHorizontal size={18} />} onClick={() => setEditing(true)}>
            {t.device.settings}
          </Button>
        )
      }
    >
      <div className={classes.first}>
        <LevelTile device={device} />
        <IntensityTile device={device} />
      </div>
      <dl className={classes.tiles}>
        <Tile
          label={t.device.mode}
          command={commands.mode}
          text={settingText.mode}
          requested={mode.requested}
          isLastKnown={device.connectionStatus !== 'Online' && mode.value !== null}
        >
          <Mode device={device} mode={mode.value} />
        </Tile>
        <Tile label={t.device.cycle} command={commands.cycle} text={settingText.cycle} requested={cycle.requested}>
          <span>{settingText.cycle(cycle.value)}</span>
          <StepMark step={cycle.value} of={3} isFalling />
        </Tile>
        <Tile label={t.device.fan} command={commands.fan} text={settingText.fan} requested={fan.requested}>
          <span>{settingText.fan(fan.value)}</span>
          <StepMark step={fan.value} of={5} />
        </Tile>
        <Tile label={t.device.connection}>
          <Connection device={device} />
        </Tile>
      </dl>
      <SettingsDialog device={device} opened={editing} onClose={() => setEditing(false)} />
    </Card>
  );
}

function Mode({ device, mode }: { device: DeviceDetail; mode: number | null }) {
  if (mode === null) return <span>{t.device.unknown}</span>;
  const { shownIntensity, schedule, connectionStatus } = device;
  // Nobody knows whether an offline device runs.
  if (connectionStatus !== 'Online') return <span>{settingText.mode(mode)}</span>;
  // The times of a requested schedule are not running yet.
  const isKnown = !isOnlyRequested(device, 'schedule');
  const frame = isKnown && schedule.find(({ number }) => number === shownIntensity.schedule);
  const running = frame ? t.device.scheduleRunning(frame.number, frameTimes(frame)) : '';
  const detail = [mode === MODE.off ? '' : settingText.mode(mode), running, isPaused(device) ? t.device.paused : '']
    .filter(Boolean)
    .join(' · ');
  return (
    <>
      <span>{isOn(mode) ? t.device.on : t.device.off}</span>
      {detail && <small>{detail}</small>}
    </>
  );
}

function Connection({ device }: { device: DeviceDetail }) {
  const { connectionStatus, connectedAt, lastSeenAt, lastHeardAt } = device;
  const now = useNow();
  const online = connectionStatus === 'Online';
  // A device without power is online until its keep-alive ends.
  const silent = online && lastHeardAt !== null;
  const when = silent ? lastHeardAt : online ? connectedAt : lastSeenAt;
  const at = when ? instant(when) : undefined;
  const since = silent ? t.device.lastHeard : online ? t.device.connectedSince : t.device.lastSeen;
  return (
    <>
      <DeviceStatus device={device} />
      {at && (
        <small>
          <ZonedTime at={at}>{since(ago(at, now))}</ZonedTime>
        </small>
      )}
    </>
  );
}
