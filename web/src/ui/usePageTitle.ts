import { useEffect } from 'react';
import { pageTitle } from '@/lib/product';

export function usePageTitle(page: string): void {
  useEffect(() => {
    document.title = pageTitle(page);
  }, [page]);
}
