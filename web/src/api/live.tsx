import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react';
import { applyDeviceEvent, rereadDevices } from './devices';
import { sessionEnded } from './http';
import { LiveStream } from './live-stream';
import { sessionQuery, useCan } from './session';

const LiveContext = createContext<LiveStream | undefined>(undefined);

/** Holds the page's one stream while its children are shown. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const [stream] = useState(
    () =>
      new LiveStream({
        device: (event) => applyDeviceEvent(client, event),
        resync: () => rereadDevices(client),
        recheck: () => recheckSession(client),
      }),
  );
  useEffect(() => {
    window.addEventListener('online', stream.reconnectNow);
    return () => {
      window.removeEventListener('online', stream.reconnectNow);
      stream.close();
    };
  }, [stream]);
  return <LiveContext value={stream}>{children}</LiveContext>;
}

/** Keeps these devices up to date on the screen; undefined while it is not known which. */
export function useDeviceEvents(dsns: readonly string[] | undefined): void {
  const stream = useStream();
  const hasLive = useHasLive();
  const key = dsns?.join('\n');
  useEffect(() => {
    if (!hasLive) stream.close();
    else if (key !== undefined) stream.follow(key === '' ? [] : key.split('\n'));
  }, [stream, hasLive, key]);
}

/** Whether there is anything to follow: somebody who may see no device is refused a stream. */
export function useHasLive(): boolean {
  return useCan('devices.view');
}

export function useLiveState() {
  const stream = useStream();
  return useSyncExternalStore(stream.subscribe, stream.getState);
}

function useStream(): LiveStream {
  const stream = use(LiveContext);
  if (!stream) throw new Error('LiveProvider is missing');
  return stream;
}

/** Reads the session again, since it or its permissions may be why the stream stopped. */
async function recheckSession(client: QueryClient): Promise<boolean> {
  try {
    const session = await client.fetchQuery({ ...sessionQuery, staleTime: 0, retry: false });
    if (session === null) sessionEnded();
    return true;
  } catch {
    return false;
  }
}
