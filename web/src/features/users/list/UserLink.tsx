import { Link } from '@tanstack/react-router';
import type { User } from '@/api/schema.gen';
import rowLink from '@/ui/list/rowLink.module.css';
import { ROW_LINK } from '@/ui/list/useListKeys';
import { nameOf } from '../user-words';
import type { UsersSearch } from './users-search';

/** Opens the user and remembers the list that they were opened from. */
export function UserLink({ user, search }: { user: User; search: UsersSearch }) {
  return (
    <Link to="/users/$id" params={{ id: user.id }} state={{ fromUsers: search }} className={rowLink.link} {...ROW_LINK}>
      {nameOf(user)}
    </Link>
  );
}
