import { IconDeviceSpeaker, IconHistory } from '@tabler/icons-react';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { LiveProvider } from '@/api/live/live';
import { useCan } from '@/api/session';
import { t } from '@/i18n/en';
import { Alerts } from '@/ui/alerts';
import { Brand } from '@/ui/Brand';
import { ColorSchemeToggle } from '@/ui/ColorSchemeToggle';
import { Frame } from '@/ui/Frame';
import navItem from '@/ui/navItem.module.css';
import { LiveBadge } from './LiveBadge';
import { UserMenu } from './UserMenu';

export function Layout() {
  const page = useLocation({ select: (location) => location.pathname });
  const seesAudit = useCan('audit.view');
  return (
    <LiveProvider>
      <Frame
        page={page}
        brand={<Brand />}
        tools={
          <>
            <LiveBadge />
            <ColorSchemeToggle />
            <UserMenu />
          </>
        }
        navigation={(onNavigate) => (
          <>
            <Link to="/devices" className={navItem.item} activeOptions={{ includeSearch: false }} onClick={onNavigate}>
              <IconDeviceSpeaker size={20} stroke={1.7} aria-hidden="true" />
              {t.devices.title}
            </Link>
            {seesAudit && (
              <Link to="/audit" className={navItem.item} activeOptions={{ includeSearch: false }} onClick={onNavigate}>
                <IconHistory size={20} stroke={1.7} aria-hidden="true" />
                {t.audit.title}
              </Link>
            )}
          </>
        )}
      >
        <Outlet />
      </Frame>
      <Alerts />
    </LiveProvider>
  );
}
