import { ActionIcon, useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { IconMoon, IconSun } from '@tabler/icons-react';
import { t } from '@/i18n/en';

/** Follows the system until the user chooses a scheme. */
export function ColorSchemeToggle() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return (
    <ActionIcon
      variant="default"
      // Sized in pixels, so that a header on a phone fits on one line with large text.
      size="calc(min(2.25rem, 44px))"
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
      aria-label={isDark ? t.shell.toLight : t.shell.toDark}
    >
      {isDark ? <IconSun size={18} /> : <IconMoon size={18} />}
    </ActionIcon>
  );
}
