import { ActionIcon, Menu } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import '@mantine/core/styles/Menu.css';
import classes from './ActionMenu.module.css';

interface Props {
  /** The name of the button that opens it. */
  label: string;
  /** Items. */
  children: ReactNode;
}

/** What can be done with the thing on the page, where there is no room for buttons. */
export function ActionMenu({ label, children }: Props) {
  return (
    // The kit's own placeholder for the focus is no item, and a menu may have nothing else.
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
