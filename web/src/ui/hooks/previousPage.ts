import { createContext, use, useState } from 'react';

/** The path of the page before; provided by the frame. */
export const PreviousPage = createContext<string | undefined>(undefined);

/** The path of the page that was shown before this one was opened. */
export function usePreviousPage(): string | undefined {
  const [path] = useState(use(PreviousPage));
  return path;
}

/** Returns the page before the current one. */
export function usePageBefore(page: string): string | undefined {
  const [pages, setPages] = useState<{ page: string; before?: string }>({ page });
  if (pages.page !== page) setPages({ page, before: pages.page });
  return pages.page === page ? pages.before : pages.page;
}
