import { Button } from '@mantine/core';
import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { type ComponentType, type ReactNode, useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { forgetUpdate } from '@/browser/release';
import { UiProvider } from '@/ui/UiProvider';
import { lazyPart } from './lazy-part';

const MISSING = 'This part of the page could not be loaded';
const shape = <p>shape</p>;
const Part = () => <p>part</p>;
const noFile = () => Promise.reject(new TypeError('Failed to fetch dynamically imported module: /assets/Part.js'));

/** The release of the server; null if the server is unreachable. */
const server = { release: '1.0-a' as string | null };
const show = (page: ReactNode) => render(<UiProvider>{page}</UiProvider>);
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));

beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  document.head.innerHTML = '<meta name="app-version" content="1.0-a">';
  server.release = '1.0-a';
  vi.stubGlobal('fetch', async () => {
    if (server.release === null) throw new TypeError('Failed to fetch');
    return new Response(null, { headers: { 'x-app-version': server.release } });
  });
});
afterEach(() => {
  document.head.innerHTML = '';
  forgetUpdate();
});

test('a placeholder is shown until the code has loaded', async () => {
  const code = Promise.withResolvers<ComponentType>();
  const Lazy = lazyPart(() => code.promise, shape);
  show(<Lazy />);
  expect(screen.getByText('shape')).toBeVisible();
  code.resolve(Part);
  expect(await screen.findByText('part')).toBeVisible();
});

test('code that could not be loaded is loaded by Retry, and the page around it is kept', async () => {
  const load = vi.fn<() => Promise<ComponentType>>(noFile);
  const Lazy = lazyPart(load, shape);
  show(
    <>
      <p>page</p>
      <Lazy />
    </>,
  );
  expect(await screen.findByRole('alert')).toHaveTextContent(MISSING);
  expect(screen.queryByRole('button', { name: 'Reload' })).not.toBeInTheDocument();
  await press('Retry');
  // Some browsers never request the file again, so a reload is offered, too.
  expect(await screen.findByRole('button', { name: 'Reload' })).toBeVisible();
  load.mockResolvedValue(Part);
  await press('Retry');
  expect(await screen.findByText('part')).toBeVisible();
  expect(screen.getByText('page')).toBeVisible();
});

test('a dialog that is closed after a failure loads its code when it is opened again', async () => {
  const load = vi.fn<() => Promise<ComponentType>>(noFile);
  const Lazy = lazyPart(load, shape);
  function Dialog() {
    const [opened, setOpened] = useState(false);
    return (
      <>
        <Button onClick={() => setOpened(!opened)}>Filter</Button>
        {opened && <Lazy />}
      </>
    );
  }
  show(<Dialog />);
  await press('Filter');
  expect(await screen.findByText(MISSING)).toBeVisible();
  await press('Filter');
  load.mockResolvedValue(Part);
  await press('Filter');
  expect(await screen.findByText('part')).toBeVisible();
});

test('code that a newer release has replaced offers a reload', async () => {
  server.release = '1.1-b';
  const Lazy = lazyPart(noFile, shape);
  show(<Lazy />);
  expect(await screen.findByRole('alert')).toHaveTextContent('Sillage was updated.');
  expect(screen.getByRole('button', { name: 'Reload' })).toBeVisible();
  expect(screen.queryByRole('button', { name: 'Retry' })).not.toBeInTheDocument();
});

test('without a connection, only Retry is offered', async () => {
  server.release = null;
  const Lazy = lazyPart(noFile, shape);
  show(<Lazy />);
  expect(await screen.findByRole('alert')).toHaveTextContent(MISSING);
  expect(screen.getByRole('button', { name: 'Retry' })).toBeVisible();
});

test('a substitute for the part is shown below the notice', async () => {
  const load = vi.fn<() => Promise<ComponentType>>(noFile);
  const Lazy = lazyPart(load, shape);
  show(<Lazy failed={<p>table</p>} />);
  expect(await screen.findByText('table')).toBeVisible();
  load.mockResolvedValue(Part);
  await press('Retry');
  expect(await screen.findByText('part')).toBeVisible();
  expect(screen.queryByText('table')).not.toBeInTheDocument();
});
