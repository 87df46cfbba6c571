import { useEffect, useState } from 'react';

const TICK_MS = 20_000;

/** The current time, updated often enough for texts such as 'three minutes ago'. */
export function useNow(): Date {
  const [now, setNow] = useState(() => new Date());
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}
