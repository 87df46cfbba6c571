import { useEffect, useState } from 'react';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { InfoNotice } from './Notice';

const SECOND_MS = 1_000;

interface Props {
  /** What was done. */
  text: string;
  /** End of the undo period in milliseconds since the epoch by the browser's clock. */
  until: number;
  isPending: boolean;
  undo: () => void;
  /** Called when the undo period is over. */
  onOver: () => void;
}

/** Describes a write that can be undone for some seconds. */
export function UndoLine({ text, until, isPending, undo, onOver }: Props) {
  const [seconds, setSeconds] = useState(() => secondsUntil(until));
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsUntil(until)), SECOND_MS);
    return () => clearInterval(timer);
  }, [until]);
  const isOver = seconds <= 0 && !isPending;
  useEffect(() => {
    if (isOver) onOver();
  }, [isOver, onOver]);
  if (isOver) return null;
  const action = (
    <Button size="compact-md" variant="default" loading={isPending} onClick={undo}>
      <span>{t.undo.button}</span>
      {/* Hidden from screen readers, which would announce it every second. */}
      <span aria-hidden="true">{`\u00a0· ${t.undo.left(seconds)}`}</span>
    </Button>
  );
  return <InfoNotice text={text} action={action} />;
}

function secondsUntil(until: number): number {
  return Math.ceil((until - Date.now()) / SECOND_MS);
}
