import {
  IconHelpCircle,
  IconInfoCircle,
  IconKeyboard,
  IconLogout,
  IconShieldLock,
  IconTransfer,
  IconUser,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { sessionQuery, useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { ShortcutsDialog } from '@/ui/dialogs/ShortcutsDialog';
import { useKeys, useShortcuts } from '@/ui/dialogs/shortcuts';
import { useIsHandheld } from '@/ui/hooks/useIsHandheld';
import { Avatar, Popover, Text } from '@/ui/kit';
import navItem from '@/ui/layout/navItem.module.css';
import classes from './UserMenu.module.css';

/** The signed-in user, keyboard shortcuts and sign-out. */
export function UserMenu() {
  const session = useQuery(sessionQuery).data;
  const canImport = useCan('fragrances.edit');
  const canEditRules = useCan('sign_in_rules.edit');
  const [opened, setOpened] = useState(false);
  const [help, setHelp] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const isHandheld = useIsHandheld();
  const [shortcuts] = useShortcuts();
  useKeys((key) => {
    if (key !== '?' || !shortcuts) return false;
    setHelp(true);
    return true;
  });
  if (!session) return null;
  const { user, roleName, csp } = session;
  const name = `${user.firstname} ${user.lastname}`.trim() || user.email;
  const label = t.shell.userMenu(name);
  const openHelp = () => {
    // The dialog returns the focus to the element that has it now; the menu is about to close.
    button.current?.focus();
    setOpened(false);
    setHelp(true);
  };
  return (
    <>
      <Popover
        opened={opened}
        onChange={setOpened}
        position="bottom-end"
        width={240}
        radius="md"
        shadow="md"
        trapFocus
        returnFocus
        // Closes on outside clicks without activating anything on the page behind.
        withOverlay
        overlayProps={{ backgroundOpacity: 0 }}
      >
        <Popover.Target>
          <button
            ref={button}
            type="button"
            className={classes.button}
            aria-label={label}
            onClick={() => setOpened((before) => !before)}
          >
            <Avatar size="calc(min(2.25rem, 44px))" color="brand" variant="filled" aria-hidden="true">
              {initials(name)}
            </Avatar>
          </button>
        </Popover.Target>
        <Popover.Dropdown className={classes.menu} aria-label={label}>
          <div className={classes.who}>
            <Text fw={600}>{name}</Text>
            {[roleName, csp].filter(Boolean).map((line) => (
              <Text key={line} size="sm" c="dimmed">
                {line}
              </Text>
            ))}
          </div>
          <Link to="/account" className={navItem.item} onClick={() => setOpened(false)}>
            <IconUser size={20} stroke={1.7} aria-hidden="true" />
            <span>{t.shell.account}</span>
          </Link>
          {canImport && (
            <Link to="/import" className={navItem.item} onClick={() => setOpened(false)}>
              <IconTransfer size={20} stroke={1.7} aria-hidden="true" />
              <span>{t.pages.catalogue}</span>
            </Link>
          )}
          {canEditRules && (
            <Link to="/sign-in-rules" className={navItem.item} onClick={() => setOpened(false)}>
              <IconShieldLock size={20} stroke={1.7} aria-hidden="true" />
              <span>{t.pages.signInRules}</span>
            </Link>
          )}
          <Link to="/help" className={navItem.item} onClick={() => setOpened(false)}>
            <IconHelpCircle size={20} stroke={1.7} aria-hidden="true" />
            <span>{t.pages.help}</span>
          </Link>
          <Link to="/about" className={navItem.item} onClick={() => setOpened(false)}>
            <IconInfoCircle size={20} stroke={1.7} aria-hidden="true" />
            <span>{t.pages.about}</span>
          </Link>
          {!isHandheld && (
            <button type="button" className={`${navItem.item} ${classes.entry}`} onClick={openHelp}>
              <IconKeyboard size={20} stroke={1.7} aria-hidden="true" />
              <span>{t.shell.shortcuts}</span>
            </button>
          )}
          <Link to="/signout" className={navItem.item} onClick={() => setOpened(false)}>
            <IconLogout size={20} stroke={1.7} aria-hidden="true" />
            <span>{t.shell.signOut}</span>
          </Link>
        </Popover.Dropdown>
      </Popover>
      <ShortcutsDialog opened={help} onClose={() => setHelp(false)} />
    </>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.[0] ?? '')
    .join('')
    .toUpperCase();
}
