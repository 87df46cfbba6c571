import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { t } from '@/i18n/en';
import { Button } from '@/ui/kit';
import type { UsersSearch } from './users-search';

/** Opens the form and remembers the list that it was opened from. */
export function InviteUserLink({ search }: { search: UsersSearch }) {
  return (
    <Button
      leftSection={<IconPlus size={18} aria-hidden="true" />}
      renderRoot={(props) => <Link to="/users/invite" state={{ fromUsers: search }} {...props} />}
    >
      {t.users.invite}
    </Button>
  );
}
