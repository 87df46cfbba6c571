import { Switch, Text } from '@mantine/core';
import { useRef } from 'react';
import { t } from '@/i18n/en';
import { useLateFocus } from '@/ui/hooks/useLateFocus';
import classes from './ShortcutKeys.module.css';
import { useShortcuts } from './shortcuts';

/** The keyboard shortcuts, with a switch that turns off single keys, which are easily pressed by accident. */
export default function ShortcutKeys() {
  const [on, set] = useShortcuts();
  const first = useRef<HTMLInputElement>(null);
  useLateFocus(first);
  return (
    <>
      <Switch
        ref={first}
        label={t.shortcuts.single}
        checked={on}
        onChange={({ currentTarget }) => set(currentTarget.checked)}
        data-autofocus
      />
      <Text size="sm" c="dimmed" mt={6}>
        {t.shortcuts.singleHint}
      </Text>
      <Keys keys={t.shortcuts.singleKeys} off={!on} />
      <Keys keys={t.shortcuts.otherKeys} />
    </>
  );
}

interface KeysProps {
  keys: readonly { keys: readonly string[]; does: string }[];
  off?: boolean;
}

function Keys({ keys, off = false }: KeysProps) {
  return (
    <dl className={classes.keys} data-off={off}>
      {keys.map(({ keys, does }) => (
        <div key={does} className={classes.row}>
          <dt>
            {keys.map((key) => (
              <kbd key={key} className={classes.key}>
                {key}
              </kbd>
            ))}
          </dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  );
}
