import type { ReactNode } from 'react';
import type { Command } from '@/api/schema.gen';
import { t } from '@/i18n/en';
import { CommandMark } from './CommandMark';
import classes from './Tile.module.css';

interface Props {
  label: string;
  /** Stands first on the page, and is read from afar. */
  large?: boolean;
  command?: Command | undefined;
  /** How a value of this setting is written. */
  text?: (value: number | null | undefined) => string;
  /** What is requested of an offline device, which shows another value until it reconnects. */
  requested?: number | undefined;
  /** Stands below what became of the command. */
  more?: ReactNode;
  children: ReactNode;
}

/** A value of a device with its label, and what became of the command that set it. */
export function Tile({ label, large = false, command, text, requested, more, children }: Props) {
  const isRequested = requested !== undefined;
  return (
    <div className={classes.tile} data-large={large}>
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
