import { Link, useLocation, useRouter } from '@tanstack/react-router';
import type { MouseEvent, ReactNode } from 'react';
import { Button } from '@/ui/kit';
import { isPlainClick } from './plain-click';

/** Returns to the device's page and discards unsaved changes; through the history if possible, which keeps the way back. */
export function useBackToDevice(dsn: string): () => void {
  const router = useRouter();
  const isBefore = useIsDeviceBefore();
  return () => {
    if (isBefore) router.history.back({ ignoreBlocker: true });
    else void router.navigate({ to: '/devices/$dsn', params: { dsn }, replace: true, ignoreBlocker: true });
  };
}

export function BackToDevice({ dsn, children }: { dsn: string; children: ReactNode }) {
  const router = useRouter();
  const isBefore = useIsDeviceBefore();
  const goBack = (event: MouseEvent) => {
    if (!isBefore || !isPlainClick(event)) return;
    event.preventDefault();
    router.history.back();
  };
  return (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/devices/$dsn" params={{ dsn }} {...props} onClick={goBack} />}
    >
      {children}
    </Button>
  );
}

function useIsDeviceBefore(): boolean {
  return useLocation({ select: (location) => location.state.fromDevice ?? false });
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Set if the form was opened from its device's page. */
    fromDevice?: boolean;
  }
}
