import { useLocation } from '@tanstack/react-router';

/** The query string of the link that led to this page, with the values that the page does not accept. */
export function useLink(): string {
  return useLocation({ select: ({ state, searchStr }) => state.link ?? searchStr });
}

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The query string with which the application was opened; the router removes invalid values from the address. */
    link?: string;
  }
}
