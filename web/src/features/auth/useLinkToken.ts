import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';

/**
 * The token of a mail's link. It is removed from the address at once, so that it is neither visible nor stored in the
 * history.
 */
export function useLinkToken(
  page: '/password/set' | '/account/confirm' | '/account/email/confirm' | '/account/email/cancel',
  token = '',
): string {
  const navigate = useNavigate();
  const [kept] = useState(token);
  useEffect(() => {
    if (token) void navigate({ to: page, search: {}, replace: true });
  }, [navigate, page, token]);
  return kept;
}
