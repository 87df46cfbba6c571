import type { CommandStatus, DeviceDetail } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { instant } from '@/lib/instant';
import { nearDay } from '@/lib/time';
import { LevelIcon, LevelMeter } from '@/ui/LevelMeter';
import { useNow } from '@/ui/useNow';
import { useZone } from '@/ui/zone-context';
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
      <RunsDry at={device.runsDryAt} />
      {!isPending && <AsReported value={fragranceRemaining} lastSeenAt={lastSeenAt} />}
    </div>
  );
}

/** When the cartridge will be empty. */
function RunsDry({ at }: { at: string | null }) {
  const [now, zone] = [useNow(), useZone()];
  if (at === null) return null;
  return <p className={classes.soft}>{t.forecast.runsDryOn(nearDay(instant(at), now, zone))}</p>;
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
