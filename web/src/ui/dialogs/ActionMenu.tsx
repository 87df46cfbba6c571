import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import '@mantine/core/styles/Menu.css';
import classes from './ActionMenu.module.css';

interface Props {
  /** The name of the button that opens the menu. */
  label: string;
  /** The menu's items. */
  children: ReactNode;
}

/** A menu of the page's actions, where there is no room for buttons. */
export function ActionMenu({ label, children }: Props) {
  return (
    // The kit's focus placeholder is not allowed as the only child of a menu.
    <Menu position="bottom-end" radius="md" shadow="md" withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon variant="default" size="calc(min(2.75rem, 44px))" aria-label={label}>
          <IconDots size={22} aria-hidden="true" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu}>{children}</Menu.Dropdown>
    </Menu>
  );
}

export const ActionItem = Menu.Item;
