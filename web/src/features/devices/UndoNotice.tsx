import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { keepUndoableReset, type UndoableReset, undoableResetQuery } from '@/api/level-reset';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import { InfoNotice } from '@/ui/Notice';
import { resetText, useUndoReset } from './useResetLevel';

const SECOND_MS = 1_000;

/** Describes a reset while it can be undone. */
export function UndoNotice({ dsn }: { dsn: string }) {
  const { data: reset } = useQuery(undoableResetQuery(dsn));
  return reset && <Undoable key={reset.id} dsn={dsn} reset={reset} />;
}

function Undoable({ dsn, reset }: { dsn: string; reset: UndoableReset }) {
  const client = useQueryClient();
  const undo = useUndoReset(dsn, reset);
  const [seconds, setSeconds] = useState(() => secondsLeft(reset));
  useEffect(() => {
    const timer = setInterval(() => setSeconds(secondsLeft(reset)), SECOND_MS);
    return () => clearInterval(timer);
  }, [reset]);
  const isOver = seconds <= 0 && !undo.isPending;
  useEffect(() => {
    if (isOver) keepUndoableReset(client, dsn, null);
  }, [client, dsn, isOver]);
  if (isOver) return null;
  const action = (
    <Button size="compact-md" variant="default" loading={undo.isPending} onClick={() => undo.mutate()}>
      {t.devicePage.reset.undo}
      {/* Hidden from screen readers, which would announce it every second. */}
      <span aria-hidden="true">&nbsp;· {t.devicePage.reset.left(seconds)}</span>
    </Button>
  );
  return <InfoNotice text={resetText(reset.before)} action={action} />;
}

function secondsLeft({ until }: UndoableReset): number {
  return Math.ceil((until - Date.now()) / SECOND_MS);
}
