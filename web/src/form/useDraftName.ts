import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '@/api/session';

/** The name of the draft of this user on this page. */
export function useDraftName(path: string): string {
  const user = useQuery(sessionQuery).data?.user.id;
  const [name] = useState(() => `${user}${path}`);
  return name;
}
