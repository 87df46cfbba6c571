import { act, fireEvent, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { UiProvider } from '@/ui/UiProvider';
import { StepSlider } from './StepSlider';

const ended = vi.fn();

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
  ended.mockReset();
});

function Field({ disabled = false }: { disabled?: boolean }) {
  const [value, setValue] = useState<number>();
  return (
    <UiProvider>
      <StepSlider
        label="Intensity"
        lower="Lower"
        raise="Raise"
        min={1}
        max={40}
        marks={[10, 39]}
        value={value ?? 39}
        onChange={setValue}
        onEnd={ended}
        disabled={disabled}
      />
    </UiProvider>
  );
}

const slider = () => screen.getByRole('slider', { name: 'Intensity' });
const slide = (value: number) => fireEvent.change(slider(), { target: { value } });
const press = (name: string) => fireEvent.click(screen.getByRole('button', { name }));
const pause = () => act(() => vi.advanceTimersByTime(600));

test('a series of key presses ends once, after a pause', () => {
  render(<Field />);
  for (const value of [38, 37, 36]) slide(value);
  act(() => vi.advanceTimersByTime(599));
  expect(ended).not.toHaveBeenCalled();
  pause();
  expect(ended.mock.calls).toEqual([[36]]);
  expect(slider()).toHaveValue('36');
});

test('a drag ends only when the pointer is released, even after a long rest', () => {
  render(<Field />);
  fireEvent.pointerDown(slider());
  slide(20);
  pause();
  slide(12);
  pause();
  expect(ended).not.toHaveBeenCalled();
  fireEvent.pointerUp(window);
  expect(ended.mock.calls).toEqual([[12]]);
  pause();
  expect(ended).toHaveBeenCalledTimes(1);
});

test('a gesture that the browser treats as scrolling changes nothing', () => {
  render(<Field />);
  fireEvent.pointerDown(slider());
  slide(20);
  fireEvent.pointerCancel(window);
  pause();
  expect(ended).not.toHaveBeenCalled();
  expect(slider()).toHaveValue('39');
});

test('each button changes the value by one step and stops at the limit', () => {
  render(<Field />);
  for (const name of ['Raise', 'Raise', 'Raise']) press(name);
  expect(slider()).toHaveValue('40');
  press('Lower');
  pause();
  expect(ended.mock.calls).toEqual([[39]]);
});

test('leaving the page during the pause still sends the choice', () => {
  const { unmount } = render(<Field />);
  slide(7);
  unmount();
  expect(ended.mock.calls).toEqual([[7]]);
});

test('a disabled slider cannot be changed, and marks too close to a limit are omitted', () => {
  render(<Field disabled />);
  expect(slider()).toBeDisabled();
  for (const name of ['Lower', 'Raise']) expect(screen.getByRole('button', { name })).toBeDisabled();
  expect(screen.getByText('10')).toBeVisible();
  expect(screen.queryByText('39')).not.toBeInTheDocument();
});
