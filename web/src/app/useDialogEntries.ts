import { type RegisteredRouter, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import type { DialogEntries } from '@/ui/dialogs/dialog-entries';

/** Keeps an entry of the history, with the same address, for each open dialog. */
export function useDialogEntries(): DialogEntries {
  const router = useRouter();
  const [entries] = useState(() => createEntries(router));
  useEffect(() => {
    return entries.listen();
  }, [entries]);
  return entries;
}

interface Entry {
  depth: number;
  onBack: () => void;
}

function createEntries(router: RegisteredRouter) {
  let open: Entry[] = [];
  const { history } = router;
  const depth = () => history.location.state.dialogs ?? 0;
  let isGoingBack = false;
  // One step at a time: two dialogs that close together would go back a third time, and leave the page.
  const leaveUnused = () => {
    if (isGoingBack || depth() <= open.length) return;
    isGoingBack = true;
    history.back({ ignoreBlocker: true });
  };
  return {
    listen: () =>
      history.subscribe(({ action }) => {
        if (action.type !== 'BACK' && action.type !== 'FORWARD') return;
        isGoingBack = false;
        for (const { onBack } of open.filter((entry) => entry.depth > depth())) onBack();
        // A dialog that a link closed has left its entry below that page.
        leaveUnused();
      }),
    add: (onBack: () => void) => {
      const entry = { depth: open.length + 1, onBack };
      open.push(entry);
      void router.navigate({
        to: '.',
        search: true,
        hash: true,
        state: { ...history.location.state, dialogs: entry.depth },
        resetScroll: false,
        ignoreBlocker: true,
      });
      return () => {
        open = open.filter((other) => other !== entry);
        // What closes the dialog may open another page in the same breath, whose entry is then above this one.
        setTimeout(leaveUnused);
      };
    },
  };
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The number of dialogs that were open. */
    dialogs?: number;
  }
}
