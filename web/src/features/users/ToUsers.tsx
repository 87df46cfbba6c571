import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '@/ui/kit';

/** A link to the list, which remembers its filters. */
export function ToUsers({ children }: { children: ReactNode }) {
  return (
    <Button variant="default" renderRoot={(props) => <Link to="/users" {...props} />}>
      {children}
    </Button>
  );
}
