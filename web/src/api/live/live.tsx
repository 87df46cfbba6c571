import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useEffect, useState, useSyncExternalStore } from 'react';
import { rereadAttentionItems } from '@/api/attention';
import { applyDeviceEvent, dropDevice, rereadDeviceLists, rereadDevices } from '@/api/devices';
import { applyJobProgress, rereadJobs } from '@/api/jobs';
import { recheckSession, sessionQuery, useCan } from '@/api/session';
import { isVisible, onVisibility, thisBrowser } from './browser';
import { pollUnlessLive } from './poll';
import { Rereads } from './rereads';
import { type Live, type LiveHandlers, type LiveState, LiveStream } from './stream';
import { LiveTab } from './tab';

const NETWORK_CHANGES = ['online', 'offline'];

interface PageReads {
  lists: Rereads;
  all: Rereads;
  attention: Rereads;
}

const LiveContext = createContext<Live | undefined>(undefined);

/** Keeps the data of its children up to date, through one stream for all tabs of the browser if possible. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const client = useQueryClient();
  const user = useQuery(sessionQuery).data?.user.id;
  const hasLive = useHasLive();
  const [live, setLive] = useState<Live>();
  useEffect(() => {
    if (!user || !hasLive) return;
    const reads: PageReads = {
      lists: new Rereads(() => rereadDeviceLists(client)),
      all: new Rereads(() => rereadDevices(client)),
      attention: new Rereads(() => rereadAttentionItems(client)),
    };
    const live = open(client, user, reads);
    setLive(live);
    const stopPolling = pollUnlessLive(live, () => {
      reads.all.request();
      reads.attention.request();
      if (isVisible()) void rereadJobs(client);
    });
    for (const change of NETWORK_CHANGES) window.addEventListener(change, live.reconnectNow);
    return () => {
      for (const change of NETWORK_CHANGES) window.removeEventListener(change, live.reconnectNow);
      setLive(undefined);
      stopPolling();
      live.close();
      for (const read of Object.values(reads)) read.stop();
    };
  }, [client, user, hasLive]);
  useEffect(() => {
    // Without a stream there are no events about changed permissions, so the session is read when the tab becomes visible.
    return hasLive ? undefined : onVisibility(() => isVisible() && void recheckSession(client));
  }, [client, hasLive]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

/** Keeps these devices up to date on the screen; undefined while the list is loading. */
export function useDeviceEvents(dsns: readonly string[] | undefined): void {
  const live = use(LiveContext);
  const key = dsns?.join('\n');
  useEffect(() => {
    if (key !== undefined) live?.follow(key === '' ? [] : key.split('\n'));
  }, [live, key]);
}

/** Keeps the page of a device up to date: each event contains what the page shows. */
export function useDevicePageEvents(dsn: string): void {
  const live = use(LiveContext);
  useEffect(() => {
    live?.follow([dsn], [dsn]);
  }, [live, dsn]);
}

/** Whether the user may open a stream, which requires access to devices. */
export function useHasLive(): boolean {
  return useCan('devices.view');
}

export function useLiveState(): LiveState {
  const live = use(LiveContext);
  return useSyncExternalStore(live?.subscribe ?? neverChanges, () => live?.getState() ?? 'connecting');
}

/** Time of the server's last message; undefined before the first. */
export function useLastMessageAt(): Date | undefined {
  const live = use(LiveContext);
  const lastMessageAt = useSyncExternalStore(live?.subscribe ?? neverChanges, () => live?.getLastMessageAt());
  return lastMessageAt === undefined ? undefined : new Date(lastMessageAt);
}

const neverChanges = () => () => undefined;

/** Only tabs of the same user share a stream, because users may see different devices. */
function open(client: QueryClient, user: string, { lists, all, attention }: PageReads): Live {
  const handlers: LiveHandlers = {
    recheck: () => recheckSession(client),
    isOnline: () => navigator.onLine,
    now: Date.now,
    event: (event) => {
      if (event.type === 'device') applyDeviceEvent(client, event.change);
      else if (event.type === 'removed') dropDevice(client, event.dsn);
      else if (event.type === 'job') applyJobProgress(client, event.progress);
      else if (event.type === 'list') lists.request();
      else if (event.type === 'attention') attention.request();
      else if (event.type === 'resync') {
        all.request();
        attention.request();
        if (event.dsns) return;
        // Nothing else reports the last device of a cancelled job.
        void rereadJobs(client);
        // Permissions may have changed while there was no stream.
        void recheckSession(client);
      } else void recheckSession(client, event.reason);
    },
  };
  const browser = thisBrowser();
  return browser ? new LiveTab(browser, `live/${user}`, handlers) : new LiveStream(handlers);
}
