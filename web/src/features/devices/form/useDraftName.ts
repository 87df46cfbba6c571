import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { sessionQuery } from '@/api/session';

/** Each person, and each page, has drafts of their own. `path` is what follows /devices/. */
export function useDraftName(path: string): string {
  const user = useQuery(sessionQuery).data?.user.id;
  const [name] = useState(() => `${user}/devices/${path}`);
  return name;
}
