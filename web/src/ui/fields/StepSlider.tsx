import { ActionIcon } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconMinus, IconPlus } from '@tabler/icons-react';
import { type CSSProperties, useEffect, useRef } from 'react';
import classes from './StepSlider.module.css';

/** Delay after the last key or step. */
const PAUSE_MS = 600;
/** Minimum distance between marks, so that they do not overlap. */
const LEAST_GAP = 4;

interface Props {
  label: string;
  /** Names of the step buttons. */
  lower: string;
  raise: string;
  min: number;
  max: number;
  /** Values to mark below the track besides the limits. */
  marks: readonly number[];
  value: number;
  /** Called with the value while it changes; undefined when the change is cancelled. */
  onChange: (value: number | undefined) => void;
  /** Called once per gesture or series of keys. */
  onEnd: (value: number) => void;
  disabled?: boolean;
  describedBy?: string | undefined;
}

/**
 * A slider for integers, with step buttons. It is the browser's own slider, which a finger that scrolls the page does not
 * move.
 */
export function StepSlider({ label, lower, raise, min, max, marks, value, onChange, onEnd, ...rest }: Props) {
  const { disabled = false, describedBy } = rest;
  const held = useRef(false);
  const chosen = useRef<number>(undefined);
  const release = useRef<() => void>(undefined);
  const end = useDebouncedCallback(
    () => {
      if (chosen.current !== undefined) onEnd(chosen.current);
      chosen.current = undefined;
    },
    { delay: PAUSE_MS, flushOnUnmount: true },
  );
  useEffect(() => {
    return () => release.current?.();
  }, []);

  const choose = (next: number) => {
    chosen.current = Math.min(Math.max(next, min), max);
    onChange(chosen.current);
    if (!held.current) end();
  };
  const hold = () => {
    if (held.current) return;
    held.current = true;
    end.cancel();
    const release = ({ type }: Event) => {
      release.current?.();
      if (type === 'pointercancel') {
        chosen.current = undefined;
        onChange(undefined);
      } else if (chosen.current !== undefined) {
        end();
        end.flush();
      }
    };
    window.addEventListener('pointerup', release);
    window.addEventListener('pointercancel', release);
    release.current = () => {
      held.current = false;
      window.removeEventListener('pointerup', release);
      window.removeEventListener('pointercancel', release);
    };
  };

  return (
    <div className={classes.row}>
      <ActionIcon
        variant="default"
        size="calc(min(2.25rem, 44px))"
        aria-label={lower}
        disabled={disabled}
        onClick={() => choose(value - 1)}
      >
        <IconMinus size={18} aria-hidden="true" />
      </ActionIcon>
      <div className={classes.slider} style={{ '--at': position(value, min, max) } as CSSProperties}>
        <input
          type="range"
          className={classes.range}
          aria-label={label}
          aria-describedby={describedBy}
          min={min}
          max={max}
          value={value}
          disabled={disabled}
          onPointerDown={hold}
          onChange={(event) => choose(event.currentTarget.valueAsNumber)}
        />
        <div className={classes.scale} aria-hidden="true">
          {[min, ...marks.filter((mark) => mark - min >= LEAST_GAP && max - mark >= LEAST_GAP), max].map((mark) => (
            <span key={mark} style={{ '--at': position(mark, min, max) } as CSSProperties}>
              {mark}
            </span>
          ))}
        </div>
      </div>
      <ActionIcon
        variant="default"
        size="calc(min(2.25rem, 44px))"
        aria-label={raise}
        disabled={disabled}
        onClick={() => choose(value + 1)}
      >
        <IconPlus size={18} aria-hidden="true" />
      </ActionIcon>
    </div>
  );
}

/** The position between 0 and 1. */
function position(value: number, min: number, max: number): number {
  return max > min ? (value - min) / (max - min) : 0;
}
