import { IconLogout } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { sessionQuery } from '@/api/session';
import { t } from '@/i18n/en';
import { Avatar, Popover, Text } from '@/ui/kit';
import navItem from '@/ui/navItem.module.css';
import classes from './UserMenu.module.css';

/** Who is signed in, and the way out. */
export function UserMenu() {
  const session = useQuery(sessionQuery).data;
  if (!session) return null;
  const { user, roleName, csp } = session;
  const name = `${user.firstname} ${user.lastname}`.trim() || user.email;
  const label = t.shell.userMenu(name);
  return (
    <Popover position="bottom-end" width={240} radius="md" shadow="md" trapFocus>
      <Popover.Target>
        <button type="button" className={classes.button} aria-label={label}>
          <Avatar size={36} color="brand" variant="filled" aria-hidden="true">
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
        <Link to="/signout" className={navItem.item}>
          <IconLogout size={20} stroke={1.7} aria-hidden="true" />
          {t.shell.signOut}
        </Link>
      </Popover.Dropdown>
    </Popover>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.[0] ?? '')
    .join('')
    .toUpperCase();
}
