import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '@/api/session';

/** Each person, and each page, has drafts of their own. */
export function useDraftName(path: string): string {
  const user = useQuery(sessionQuery).data?.user.id;
  const [name] = useState(() => `${user}${path}`);
  return name;
}
