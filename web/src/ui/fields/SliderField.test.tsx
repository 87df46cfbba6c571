import { render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { expect, test } from 'vitest';
import { UiProvider } from '@/ui/UiProvider';
import { SliderField } from './SliderField';

function Field() {
  const [value, setValue] = useState(24);
  return (
    <UiProvider>
      <SliderField
        label="Intensity"
        description="1 to 49"
        min={1}
        max={49}
        value={value}
        onChange={setValue}
        disabled={false}
      />
      <output>{value}</output>
    </UiProvider>
  );
}

test.each([
  ['99', '49'],
  ['33', '33'],
  ['0', '1'],
  ['-5', '5'],
  ['abc', '1'],
])('typing %s into the emptied field gives %s', async (typed, value) => {
  render(<Field />);
  const field = screen.getByRole('textbox', { name: 'Intensity' });
  await userEvent.clear(field);
  expect(field).toHaveValue('');
  await userEvent.type(field, typed);
  await userEvent.tab();
  expect(field).toHaveValue(value);
  expect(screen.getByRole('status')).toHaveTextContent(value);
});

test('the slider and the field show one value', async () => {
  render(<Field />);
  screen.getByRole('slider', { name: 'Intensity' }).focus();
  await userEvent.keyboard('{ArrowRight}');
  expect(screen.getByRole('textbox', { name: 'Intensity' })).toHaveValue('25');
});

test.each([
  ['60', 'Set to 49, the maximum'],
  ['0', 'Set to 1, the minimum'],
])('typing %s is no error and says: %s, until a possible value is typed', async (typed, text) => {
  render(<Field />);
  const field = screen.getByRole('textbox', { name: 'Intensity' });
  await userEvent.clear(field);
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  await userEvent.type(field, typed);
  expect(screen.getByRole('alert')).toHaveTextContent(text);
  expect(field).not.toBeInvalid();
  await userEvent.clear(field);
  await userEvent.type(field, '33');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  await userEvent.clear(field);
  await userEvent.type(field, typed);
  screen.getByRole('slider', { name: 'Intensity' }).focus();
  await userEvent.keyboard('{ArrowRight}');
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});
