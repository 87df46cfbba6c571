import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test, vi } from 'vitest';
import { UiProvider } from '@/ui/UiProvider';
import { SearchField } from './SearchField';

test('a search is applied before the focus moves on', () => {
  const onChange = vi.fn();
  render(
    <UiProvider>
      <SearchField label="Filter by name" value={undefined} onChange={onChange} />
    </UiProvider>,
  );
  const field = screen.getByRole('searchbox', { name: 'Filter by name' });
  fireEvent.change(field, { target: { value: 'Lantern' } });
  expect(onChange).not.toHaveBeenCalled();
  fireEvent.blur(field);
  expect(onChange.mock.calls).toEqual([['Lantern']]);
});
