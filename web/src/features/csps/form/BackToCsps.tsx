import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';

/** Replaces the form with the list as it was, discarding unsaved changes. */
export function useBackToCsps(): () => Promise<void> {
  const navigate = useNavigate();
  const search = useListBefore();
  return () => navigate({ to: '/csps', search, replace: true, ignoreBlocker: true });
}

export function BackToCsps({ children = t.common.back }: { children?: string }) {
  const search = useListBefore();
  return (
    <Button variant="default" renderRoot={(props) => <Link to="/csps" search={search} {...props} />}>
      {children}
    </Button>
  );
}

function useListBefore() {
  return useLocation({ select: (location) => location.state.fromCsps }) ?? {};
}
