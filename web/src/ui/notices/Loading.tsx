import type { ReactNode } from 'react';
import { t } from '@/i18n/en';

interface Props {
  /** Announced by screen readers. */
  label?: string;
  className?: string | undefined;
  /** Placeholders of the height of the content. */
  children: ReactNode;
}

/** Takes the place of content that is being loaded. */
export function Loading({ label = t.list.loading, className, children }: Props) {
  return (
    <div className={className} role="status" aria-busy="true" aria-label={label}>
      {children}
    </div>
  );
}
