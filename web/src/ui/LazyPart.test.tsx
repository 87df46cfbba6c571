import { render, screen } from '@testing-library/react';
import { lazy } from 'react';
import { expect, test, vi } from 'vitest';
import { LazyPart } from './LazyPart';

const shape = <p>shape</p>;

test('a placeholder is shown until the code has loaded', async () => {
  const code = Promise.withResolvers<{ default: () => React.ReactNode }>();
  const Part = lazy(() => code.promise);
  render(
    <LazyPart shape={shape} failed={<p>failed</p>}>
      <Part />
    </LazyPart>,
  );
  expect(screen.getByText('shape')).toBeVisible();
  code.resolve({ default: () => <p>part</p> });
  expect(await screen.findByText('part')).toBeVisible();
});

test('code that cannot be loaded shows a notice and keeps the page around it', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const Part = lazy(() => Promise.reject(new Error('no such file')));
  render(
    <>
      <p>page</p>
      <LazyPart shape={shape} failed={<p>failed</p>}>
        <Part />
      </LazyPart>
    </>,
  );
  expect(await screen.findByText('failed')).toBeVisible();
  expect(screen.getByText('page')).toBeVisible();
});
