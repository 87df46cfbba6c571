import { type PointerEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ScheduleFrame } from '@/api/schema.gen';
import { DAY_MINUTES } from '@/domain/schedule';
import { dragged, type Grip, stepFor } from '@/domain/schedule-drag';

/** How long a finger holds a block before it drags. A finger that moves earlier scrolls the page. */
const HOLD_MS = 350;
/** Smaller movements belong to a click. */
const SLACK_PIXELS = 4;

/** The block of a frame on one of its days. */
interface Block {
  number: number;
  day: number;
}

interface Press extends Block {
  pointer: number;
  frame: ScheduleFrame;
  grip: Grip;
  track: Element;
  /** Pixels along the day. */
  from: number;
  x: number;
  y: number;
  /** Pending while a finger may still scroll. */
  hold: ReturnType<typeof setTimeout> | undefined;
  isDragging: boolean;
  /** The frame after the last movement, which may not be rendered yet. */
  moved: ScheduleFrame;
}

export interface Drag {
  /** The frame with its current times. */
  frame: ScheduleFrame;
  /** The pointer's position in pixels of the window. */
  x: number;
  y: number;
}

interface Options {
  frames: readonly ScheduleFrame[];
  onDrop: (frame: ScheduleFrame) => void;
  /** A block was clicked. */
  onOpen: (number: number) => void;
}

/**
 * Moves and resizes the blocks of a chart. A mouse drags at once. A finger first holds a block, because otherwise it scrolls
 * the page; a block that was held has handles that a finger drags at once. Escape ends either without a change.
 */
export function useWeekDrag({ frames, onDrop, onOpen }: Options) {
  const chart = useRef<HTMLDivElement>(null);
  const press = useRef<Press>(undefined);
  /** Whether the last press became a drag, so that a click event after it is ignored. */
  const wasDrag = useRef(false);
  const [drag, setDrag] = useState<Drag>();
  const [held, setHeld] = useState<Block>();

  const end = () => {
    clearTimeout(press.current?.hold);
    press.current = undefined;
    setDrag(undefined);
  };
  const begin = (current: Press) => {
    clearTimeout(current.hold);
    current.isDragging = true;
    wasDrag.current = true;
    chart.current?.setPointerCapture(current.pointer);
    setDrag({ frame: current.frame, x: current.x, y: current.y });
  };

  const onPointerDown = (event: PointerEvent) => {
    if (!event.isPrimary || event.button !== 0) return;
    end();
    wasDrag.current = false;
    const target = event.target as Element;
    const block = target.closest<HTMLElement>('[data-frame]');
    const track = block?.parentElement;
    const day = track?.parentElement?.dataset.day;
    const frame = frames.find(({ number }) => number === Number(block?.dataset.frame));
    if (!track || !day || !frame) return;
    const isHeld = frame.number === held?.number && Number(day) === held.day;
    const scrolls = event.pointerType !== 'mouse' && !isHeld;
    const grip = target.closest<HTMLElement>('[data-grip]')?.dataset.grip as Grip | undefined;
    const pressed: Press = {
      number: frame.number,
      day: Number(day),
      pointer: event.pointerId,
      frame,
      // The handles of a block that is not held are too small for a finger.
      grip: scrolls ? 'move' : (grip ?? 'move'),
      track,
      from: alongDay(track, event).at,
      x: event.clientX,
      y: event.clientY,
      hold: undefined,
      isDragging: false,
      moved: frame,
    };
    if (scrolls) {
      pressed.hold = setTimeout(() => {
        setHeld({ number: pressed.number, day: pressed.day });
        begin(pressed);
      }, HOLD_MS);
    }
    press.current = pressed;
  };

  const onPointerMove = (event: PointerEvent) => {
    const current = press.current;
    if (event.pointerId !== current?.pointer) return;
    if (!current.isDragging) {
      const isClick = Math.hypot(event.clientX - current.x, event.clientY - current.y) < SLACK_PIXELS;
      if (isClick) return;
      if (current.hold !== undefined) return end();
      begin(current);
    }
    const { at, length } = alongDay(current.track, event);
    const minutes = ((at - current.from) / length) * DAY_MINUTES;
    current.moved = dragged(current.frame, current.grip, minutes, stepFor(length), frames);
    setDrag({ frame: current.moved, x: event.clientX, y: event.clientY });
  };

  const onPointerUp = (event: PointerEvent) => {
    const current = press.current;
    if (event.pointerId !== current?.pointer) return;
    end();
    if (current.moved !== current.frame) onDrop(current.moved);
  };

  const onClick = (event: { target: EventTarget }) => {
    const block = (event.target as Element).closest<HTMLElement>('[data-frame]');
    if (block && !wasDrag.current) onOpen(Number(block.dataset.frame));
  };

  const isActive = drag !== undefined || held !== undefined;
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    if (!drag) setHeld(undefined);
    end();
  });
  const onPressElsewhere = useEffectEvent(({ target }: Event) => {
    const block = (target as Element).closest('[data-held="true"]');
    if (!block || !chart.current?.contains(block)) setHeld(undefined);
  });
  useEffect(() => {
    if (!isActive) return;
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onPressElsewhere);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onPressElsewhere);
    };
  }, [isActive]);

  // Keeps the browser from scrolling during a drag. React's touch listeners are passive and cannot.
  useEffect(() => {
    const element = chart.current;
    const onTouchMove = (event: TouchEvent) => {
      if (press.current?.isDragging) event.preventDefault();
    };
    element?.addEventListener('touchmove', onTouchMove, { passive: false });
    return () => {
      element?.removeEventListener('touchmove', onTouchMove);
      clearTimeout(press.current?.hold);
    };
  }, []);

  return {
    drag,
    held,
    chart: {
      ref: chart,
      onPointerDown,
      onPointerMove,
      onPointerUp,
      onPointerCancel: end,
      onClick,
      // A long press opens a menu on some phones.
      onContextMenu: (event: { preventDefault: () => void }) => press.current && event.preventDefault(),
    },
  };
}

/** The pointer's position along the day and the day's length in pixels: days are rows or columns. */
function alongDay(track: Element, { clientX, clientY }: PointerEvent): { at: number; length: number } {
  const { left, top, width, height } = track.getBoundingClientRect();
  return width > height ? { at: clientX - left, length: width } : { at: clientY - top, length: height };
}
