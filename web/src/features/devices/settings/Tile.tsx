import type { ReactNode } from 'react';
import type { Command } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { CommandMark } from './CommandMark';
import classes from './Tile.module.css';

interface Props {
  label: string;
  /** Large, for the most important values. */
  large?: boolean;
  command?: Command | undefined;
  /** The name of the command's value, if it is not the shown one. */
  commandOf?: string | undefined;
  /** Formats a value of this setting. */
  text?: (value: number | null | undefined) => string;
  /** The value requested of an offline device, which shows another one until it reconnects. */
  requested?: number | undefined;
  /** The value is the last one that an offline device reported. */
  isLastKnown?: boolean;
  /** Shown below the command's status. */
  more?: ReactNode;
  children: ReactNode;
}

/** A value of a device with its label and the status of its last command. */
export function Tile({
  label,
  large = false,
  command,
  commandOf,
  text,
  requested,
  isLastKnown = false,
  more,
  children,
}: Props) {
  const isRequested = requested !== undefined;
  return (
    <div className={classes.tile} data-large={large}>
      <dt>{label}</dt>
      <dd>
        <div className={classes.value} data-unknown={isLastKnown}>
          {children}
          {isLastKnown && <small>{t.device.lastKnown}</small>}
          {isRequested && text && <small>{t.device.requested(text(requested))}</small>}
        </div>
        {/* A requested value has the reported one beside it, so the mark omits it. */}
        {command && text && (
          <CommandMark command={command} {...(!isRequested && { text })} {...(commandOf && { of: commandOf })} />
        )}
        {more}
      </dd>
    </div>
  );
}
