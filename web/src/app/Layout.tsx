import { Outlet, useLocation, useRouterState } from '@tanstack/react-router';
import { LiveProvider } from '@/api/live/live';
import { DialogHistory } from '@/ui/dialogs/dialog-entries';
import { Brand } from '@/ui/layout/Brand';
import { ColorSchemeToggle } from '@/ui/layout/ColorSchemeToggle';
import { Frame } from '@/ui/layout/Frame';
import { UpdateNotice } from '@/ui/notices/UpdateNotice';
import { LiveBadge } from './LiveBadge';
import { Navigation } from './Navigation';
import { OfflineNotice } from './OfflineNotice';
import { UserMenu } from './UserMenu';
import { useDialogEntries } from './useDialogEntries';

export function Layout() {
  const page = useLocation({ select: (location) => location.pathname });
  const shownPage = useRouterState({
    select: ({ resolvedLocation, location }) => (resolvedLocation ?? location).pathname,
  });
  const dialogs = useDialogEntries();
  return (
    <LiveProvider>
      <DialogHistory value={dialogs}>
        <Frame
          page={page}
          shownPage={shownPage}
          brand={<Brand />}
          tools={
            <>
              <LiveBadge />
              <ColorSchemeToggle />
              <UserMenu />
            </>
          }
          navigation={(onNavigate) => <Navigation onNavigate={onNavigate} />}
        >
          <UpdateNotice />
          <OfflineNotice />
          <Outlet />
        </Frame>
      </DialogHistory>
    </LiveProvider>
  );
}
