import { act, render, screen, waitFor } from '@testing-library/react';
import { expect, test } from 'vitest';
import { UiProvider } from '@/ui/UiProvider';
import { alertFailure, alertSuccess } from './alerts';

async function open() {
  const { baseElement } = render(
    <UiProvider>
      <p>Page</p>
    </UiProvider>,
  );
  await waitFor(() => expect(baseElement.querySelector('.mantine-Notifications-root')).toBeInTheDocument());
}

const texts = () => screen.queryAllByRole('alert').map(({ textContent }) => textContent);

test('a success removes only the failure of the same action', async () => {
  await open();
  act(() => {
    alertFailure('Failed to save. Out of order', 'Saved');
    alertFailure('Failed to remove', 'Removed');
    alertFailure('Failed to read');
  });
  expect(texts()).toEqual(['Failed to save. Out of order', 'Failed to remove', 'Failed to read']);
  act(() => alertSuccess('Saved', 'Intensity 9'));
  await waitFor(() => expect(texts()).toEqual(['Failed to remove', 'Failed to read', 'SavedIntensity 9']));
});

test('a failure has its reason on a second line', async () => {
  await open();
  act(() => alertFailure('Failed to reset', 'Reset', 'Out of order'));
  expect(screen.getByText('Failed to reset')).toBeVisible();
  expect(screen.getByText('Out of order')).toBeVisible();
});

test('a repeated failure of an action replaces its alert', async () => {
  await open();
  act(() => alertFailure('Failed to save. First', 'Saved'));
  act(() => alertFailure('Failed to save. Second', 'Saved'));
  await waitFor(() => expect(texts()).toEqual(['Failed to save. Second']));
});
