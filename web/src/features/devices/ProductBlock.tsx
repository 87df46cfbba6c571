import { IconAdjustmentsHorizontal } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { isOnlyRequested, shownSetting } from '@/api/requested';
import type { Command, CommandFate, DeviceDetail } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { intensityClass } from '@/lib/level';
import { isOn, MODE, maxIntensity } from '@/lib/settings-rules';
import { ago, dateTime } from '@/lib/time';
import { Card } from '@/ui/Card';
import { Button } from '@/ui/kit';
import { LevelIcon, LevelMeter } from '@/ui/LevelMeter';
import { StatusMark } from '@/ui/StatusMark';
import { StepMark } from '@/ui/StepMark';
import { useNow } from '@/ui/useNow';
import { CommandMark } from './CommandMark';
import classes from './ProductBlock.module.css';
import { SettingsDialog } from './SettingsDialog';
import { frameTimes } from './schedule/frame-times';
import { settingText, shownIntensityText } from './setting-text';

export function ProductBlock({ device }: { device: DeviceDetail }) {
  const [editing, setEditing] = useState(false);
  const { commands } = device;
  const [mode, intensity, cycle, fan] = [
    shownSetting(device, 'mode'),
    shownSetting(device, 'intensity'),
    shownSetting(device, 'cycle'),
    shownSetting(device, 'fan'),
  ];
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
      <dl className={classes.tiles}>
        <Tile label={t.device.mode} command={commands.mode} text={settingText.mode} requested={mode.requested}>
          <Mode device={device} mode={mode.value} />
        </Tile>
        <Tile
          label={t.device.intensity}
          command={commands.intensity}
          text={settingText.intensity}
          requested={intensity.requested}
        >
          <Intensity device={device} intensity={intensity.value} cycle={cycle.value} />
          <StepMark step={intensityStep(device.shownIntensity.value)} of={5} />
        </Tile>
        <Tile label={t.device.cycle} command={commands.cycle} text={settingText.cycle} requested={cycle.requested}>
          {settingText.cycle(cycle.value)}
          <StepMark step={cycle.value} of={3} />
        </Tile>
        <Tile label={t.device.fan} command={commands.fan} text={settingText.fan} requested={fan.requested}>
          {settingText.fan(fan.value)}
          <StepMark step={fan.value} of={5} />
        </Tile>
        <Tile label={t.device.connection}>
          <Connection device={device} />
        </Tile>
        <Tile
          label={t.device.remaining}
          command={commands.fragranceRemaining}
          text={settingText.remaining}
          more={<CartridgeMark command={commands.cartridgeLife} />}
        >
          <Remaining percent={device.fragranceRemaining} />
        </Tile>
      </dl>
      <SettingsDialog device={device} opened={editing} onClose={() => setEditing(false)} />
    </Card>
  );
}

type Settings<Name extends string> = Record<Name, number | null>;

function intensityStep(intensity: number | null): number | null {
  return intensity === null ? null : intensityClass(intensity);
}

interface TileProps {
  label: string;
  command?: Command | undefined;
  /** How a value of this setting is written. */
  text?: (value: number | null | undefined) => string;
  /** What is requested of an offline device, which shows another value until it reconnects. */
  requested?: number | undefined;
  /** Stands below what became of the command. */
  more?: ReactNode;
  children: ReactNode;
}

function Tile({ label, command, text, requested, more, children }: TileProps) {
  const isRequested = requested !== undefined;
  return (
    <div className={classes.tile}>
      <dt>{label}</dt>
      <dd>
        <div className={classes.value}>
          {children}
          {isRequested && text && <small>{t.device.requested(text(requested))}</small>}
        </div>
        {/* Beside a requested value stands what the device reports. */}
        {command && text && <CommandMark command={command} {...(!isRequested && { text })} />}
        {more}
      </dd>
    </div>
  );
}

function Mode({ device, mode }: { device: DeviceDetail; mode: number | null }) {
  if (mode === null) return t.device.unknown;
  const { shownIntensity, schedule } = device;
  // The times of a requested schedule are not those that run.
  const isKnown = !isOnlyRequested(device, 'schedule');
  const frame = isKnown && schedule.find(({ number }) => number === shownIntensity.schedule);
  const running = frame ? t.device.scheduleRunning(frame.number, frameTimes(frame)) : '';
  const detail = [mode === MODE.off ? '' : settingText.mode(mode), running].filter(Boolean).join(' · ');
  return (
    <>
      {isOn(mode) ? t.device.on : t.device.off}
      {detail && <small>{detail}</small>}
    </>
  );
}

/** In Run mode that of the schedule that runs. */
function Intensity({ device, intensity, cycle }: { device: DeviceDetail } & Settings<'intensity' | 'cycle'>) {
  const { shownIntensity, systemConfiguration } = device;
  const { value, schedule } = shownIntensity;
  const text = shownIntensityText(shownIntensity);
  if (schedule !== null) {
    return (
      <>
        {text}
        {intensity !== value && <small>{t.device.ownIntensity(settingText.intensity(intensity))}</small>}
      </>
    );
  }
  return (
    <>
      {text}
      {value !== null && <small>{t.device.intensityOf(maxIntensity(systemConfiguration, cycle))}</small>}
    </>
  );
}

function Connection({ device: { connectionStatus, connectedAt, lastSeenAt } }: { device: DeviceDetail }) {
  const now = useNow();
  const online = connectionStatus === 'Online';
  const when = online ? connectedAt : lastSeenAt;
  const at = when ? new Date(when) : undefined;
  const since = online ? t.device.connectedSince : t.device.lastSeen;
  return (
    <>
      <StatusMark online={online} label={connectionStatus} />
      {at && <small title={dateTime(at)}>{since(ago(at, now))}</small>}
      {!at && !online && <small>{t.device.neverSeen}</small>}
    </>
  );
}

/** A reset writes the hours too. Once the device has taken them, the level says all there is to say. */
function CartridgeMark({ command }: { command: CommandFate | undefined }) {
  if (!command || command.state === 'acknowledged') return null;
  return <CommandMark command={command} of={t.device.command.cartridgeLife} />;
}

function Remaining({ percent }: { percent: number | null | undefined }) {
  if (percent === null || percent === undefined) return t.device.unknown;
  return (
    <span className={classes.remaining}>
      <LevelIcon percent={percent} />
      <LevelMeter percent={percent} label={t.devices.remaining(percent)} />
    </span>
  );
}
