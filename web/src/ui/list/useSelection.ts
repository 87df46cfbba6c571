import { useCallback, useMemo, useState } from 'react';

/** The keys of the selected rows on all pages. */
export interface Selection {
  /** In the order of selection. */
  keys: readonly string[];
  has: (key: string) => boolean;
  /** Selects or deselects these. */
  set: (keys: readonly string[], chosen: boolean) => void;
  /** Selects these and no others. */
  replace: (keys: readonly string[]) => void;
}

/** The selection is empty at first. */
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
