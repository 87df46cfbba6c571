import { useEffect } from 'react';
import { pageTitle } from '@/domain/product';

/** Names the page, and what distinguishes it from others of its kind, in the title of the tab. */
export function usePageTitle(page: string, parts: readonly string[] = []): void {
  const title = pageTitle(parts.length > 0 ? `${page}: ${parts.join(', ')}` : page);
  useEffect(() => {
    document.title = title;
  }, [title]);
}
