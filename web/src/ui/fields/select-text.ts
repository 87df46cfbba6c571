import type { FocusEvent, MouseEvent } from 'react';

/** Handlers for a searchable select: typing replaces the displayed choice instead of appending to it. */
export const selectText = {
  onFocus: ({ currentTarget }: FocusEvent<HTMLInputElement>) => currentTarget.select(),
  // After a choice the field keeps the focus. While the list is open, a click places the caret.
  onClick: ({ currentTarget }: MouseEvent<HTMLInputElement>) => {
    if (currentTarget.getAttribute('aria-expanded') !== 'true') currentTarget.select();
  },
};
