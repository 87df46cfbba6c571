import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useRef, useState } from 'react';
import { expect, test, vi } from 'vitest';
import { useFocusInPage } from './useFocusInPage';

type Kind = 'list' | 'table';

/** A page with a block of rows that their buttons remove. */
function Page({ kind, names }: { kind: Kind; names: readonly string[] }) {
  const main = useRef<HTMLElement>(null);
  const [left, setLeft] = useState(names);
  useFocusInPage(main, 'page');
  const button = (name: string) => (
    <button type="button" onClick={() => setLeft(left.filter((other) => other !== name))}>
      Remove {name}
    </button>
  );
  return (
    <main ref={main} tabIndex={-1}>
      <h1>Page</h1>
      <section>
        <h2>Block</h2>
        {left.length > 0 && kind === 'list' && (
          <ul>
            {left.map((name) => (
              <li key={name}>{button(name)}</li>
            ))}
          </ul>
        )}
        {left.length > 0 && kind === 'table' && (
          <table>
            <tbody>
              {left.map((name) => (
                <tr key={name}>
                  <td>{button(name)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
      <button type="button" onClick={() => setLeft([])}>
        Remove all
      </button>
      <p>Text</p>
    </main>
  );
}

const button = (name: string) => screen.getByRole('button', { name });

test.each(['list', 'table'] as const)(
  'after a removal from a %s the focus is on the next row, then on the heading',
  async (kind) => {
    render(<Page kind={kind} names={['a', 'b', 'c']} />);
    await userEvent.click(button('Remove b'));
    await vi.waitFor(() => expect(button('Remove c')).toHaveFocus());
    await userEvent.click(button('Remove c'));
    await vi.waitFor(() => expect(button('Remove a')).toHaveFocus());
    await userEvent.click(button('Remove a'));
    await vi.waitFor(() => expect(screen.getByRole('heading', { name: 'Block' })).toHaveFocus());
  },
);

test('a focus that is elsewhere, or was given up, is left alone', async () => {
  render(<Page kind="list" names={['a', 'b']} />);
  await userEvent.click(button('Remove all'));
  expect(button('Remove all')).toHaveFocus();
});
