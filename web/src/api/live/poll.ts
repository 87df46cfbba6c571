import type { Live } from './stream';

/** A stream that sends nothing is noticed within 8 s, so the first read of the page comes less than 30 s after its last event. */
const FIRST_MS = 20_000;
/** The page says 30 s; the response needs time, too. */
const POLL_MS = 28_000;

/** Reads again and again while the stream is not live, until the returned function is called. */
export function pollUnlessLive(live: Live, read: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const poll = () => {
    timer = setTimeout(poll, POLL_MS);
    read();
  };
  const stop = () => {
    clearTimeout(timer);
    timer = undefined;
  };
  const onState = () => {
    if (live.getState() === 'live') stop();
    else timer ??= setTimeout(poll, FIRST_MS);
  };
  onState();
  const unsubscribe = live.subscribe(onState);
  return () => {
    unsubscribe();
    stop();
  };
}
