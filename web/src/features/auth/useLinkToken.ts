import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * The token of the link in a mail, which led here. It leaves the address at once: nobody reads it over a shoulder, and it
 * stays in no history.
 */
export function useLinkToken(page: '/password/set' | '/account/confirm', token = ''): string {
  const navigate = useNavigate();
  const [kept] = useState(token);
  useEffect(() => {
    if (token) void navigate({ to: page, search: {}, replace: true });
  }, [navigate, page, token]);
  return kept;
}
