import { fakeApi, ok, session } from '@test/fake-api';
import { render, screen } from '@testing-library/react';
import { Component, type ReactNode } from 'react';
import { expect, test, vi } from 'vitest';
import { isUnreachable } from '@/api/errors';
import { lazyPage } from './lazy-page';

class Boundary extends Component<{ children: ReactNode; onError: (error: unknown) => void }> {
  override state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  override componentDidCatch(error: unknown) {
    this.props.onError(error);
  }

  override render() {
    return this.state.failed ? <p>failed</p> : this.props.children;
  }
}

/** The error of a page whose code cannot be loaded. */
async function errorOf(cause: Error): Promise<unknown> {
  for (const level of ['warn', 'error'] as const) vi.spyOn(console, level).mockImplementation(() => undefined);
  const Page = lazyPage(() => Promise.reject<{ default: () => ReactNode }>(cause));
  // The router does this before it renders the page.
  await Page.preload?.();
  const onError = vi.fn();
  render(
    <Boundary onError={onError}>
      <Page />
    </Boundary>,
  );
  expect(screen.getByText('failed')).toBeVisible();
  return onError.mock.calls[0]?.[0];
}

test('code that cannot be read without a connection is a network error', async () => {
  fakeApi({
    'GET /api/session': () => {
      throw new TypeError('Failed to fetch');
    },
  });
  expect(isUnreachable(await errorOf(new TypeError('Failed to fetch dynamically imported module: /a.js')))).toBe(true);
});

test('code that is missing on a reachable server throws the error of the browser', async () => {
  fakeApi({ 'GET /api/session': () => ok(session) });
  const gone = new TypeError('the module is gone');
  expect(await errorOf(gone)).toBe(gone);
});
