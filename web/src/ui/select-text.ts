import type { FocusEvent, MouseEvent } from 'react';

/** Handlers of a searchable select: what is typed next replaces the shown choice instead of adding to it. */
export const selectText = {
  onFocus: ({ currentTarget }: FocusEvent<HTMLInputElement>) => currentTarget.select(),
  // A choice leaves the focus in the field. While the list is open, a click places the caret.
  onClick: ({ currentTarget }: MouseEvent<HTMLInputElement>) => {
    if (currentTarget.getAttribute('aria-expanded') !== 'true') currentTarget.select();
  },
};
