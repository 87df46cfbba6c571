import { levelStatement } from '@/api/level-statement';
import type { CommandStatus, DeviceDetail } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { useNow } from '@/ui/hooks/useNow';
import { LevelIcon, LevelMeter } from '@/ui/values/LevelMeter';
import { AsReported } from './AsReported';
import { CommandMark } from './CommandMark';
import classes from './LargeTile.module.css';
import { settingText } from './setting-text';
import { Tile } from './Tile';

/** The remaining fragrance. */
export function LevelTile({ device }: { device: DeviceDetail }) {
  const { commands, fragranceRemaining, lastSeenAt } = device;
  // The displayed level then is that of a reset.
  const isPending = commands.fragranceRemaining?.state === 'pending';
  return (
    <div className={classes.tile}>
      <dl>
        <Tile
          large
          label={t.device.remaining}
          command={commands.fragranceRemaining}
          text={settingText.remaining}
          more={<CartridgeMark command={commands.cartridgeLife} />}
        >
          <Remaining percent={fragranceRemaining} />
        </Tile>
      </dl>
      <Statement device={device} />
      {!isPending && <AsReported value={fragranceRemaining} lastSeenAt={lastSeenAt} />}
    </div>
  );
}

/** As in lists. */
function Statement({ device }: { device: DeviceDetail }) {
  const statement = levelStatement(device, useNow());
  if (statement === undefined) return null;
  return (
    <p className={classes.statement} {...(device.isProvisional && { title: t.level.provisionalHint })}>
      {statement}
    </p>
  );
}

/** A reset writes the hours, too. Once the device has applied them, only the level's status is shown. */
function CartridgeMark({ command }: { command: CommandStatus | undefined }) {
  if (!command || command.state === 'acknowledged') return null;
  return <CommandMark command={command} of={t.device.command.cartridgeLife} />;
}

function Remaining({ percent }: { percent: number | null | undefined }) {
  if (percent === null || percent === undefined) return t.device.unknown;
  return (
    <span className={classes.remaining}>
      <LevelIcon percent={percent} />
      <LevelMeter large percent={percent} label={t.devices.remaining(percent)} />
    </span>
  );
}
