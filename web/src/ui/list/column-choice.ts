import { useLocalStorage } from '@mantine/hooks';

/** Whether a list shows its other columns, and a function that changes it, remembered in this browser. */
export function useOtherColumns(list: string): [boolean, (on: boolean) => void] {
  const [stored, set] = useLocalStorage({
    key: `other-columns-${list}`,
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  // What another version has stored may be anything.
  return [stored === true, set];
}
