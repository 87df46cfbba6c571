import { useCallback, useMemo, useState } from 'react';

/** Which rows of a list are chosen, by their keys; also rows of other pages. */
export interface Selection {
  /** In the order in which they were chosen. */
  keys: readonly string[];
  has: (key: string) => boolean;
  /** Chooses these, or gives them up. */
  set: (keys: readonly string[], chosen: boolean) => void;
  /** Chooses these and no others. */
  replace: (keys: readonly string[]) => void;
}

/** Nothing is chosen at first. */
export function useSelection(): Selection {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const set = useCallback(
    (keys: readonly string[], isChosen: boolean) =>
      setChosen((before) => {
        const after = new Set(before);
        for (const key of keys) {
          if (isChosen) after.add(key);
          else after.delete(key);
        }
        return after;
      }),
    [],
  );
  const replace = useCallback((keys: readonly string[]) => setChosen(new Set(keys)), []);
  return useMemo(
    () => ({ keys: [...chosen], has: (key: string) => chosen.has(key), set, replace }),
    [chosen, set, replace],
  );
}
