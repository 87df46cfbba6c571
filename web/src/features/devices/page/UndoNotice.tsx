import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { keepUndoableReset, type UndoableReset, undoableResetQuery } from '@/api/level-reset';
import { UndoLine } from '@/ui/notices/UndoLine';
import { resetText, useUndoReset } from './useResetLevel';

/** Describes a reset for the first seconds, in which it can be undone whatever the device reports. */
export function UndoNotice({ dsn }: { dsn: string }) {
  const { data: reset } = useQuery(undoableResetQuery(dsn));
  return reset && <Undoable key={reset.id} dsn={dsn} reset={reset} />;
}

function Undoable({ dsn, reset }: { dsn: string; reset: UndoableReset }) {
  const client = useQueryClient();
  const undo = useUndoReset(dsn);
  const forget = useCallback(() => keepUndoableReset(client, dsn, null), [client, dsn]);
  return (
    <UndoLine
      text={resetText(reset.before)}
      until={reset.until}
      isPending={undo.isPending}
      undo={() => undo.mutate({ id: reset.id, ...reset.before })}
      onOver={forget}
    />
  );
}
