import { render } from '@testing-library/react';
import { expect, test } from 'vitest';
import { LevelIcon } from './LevelMeter';

/** The height of the filling for each class, of the bottle's 15 units. */
const HEIGHTS: Record<string, number> = { 0: 0, 25: 3.75, 50: 7.5, 75: 11.25, 100: 15 };

function drawn(percent: number): { step: string; height: number } {
  const { container } = render(<LevelIcon percent={percent} />);
  const icon = container.querySelector('svg');
  return { step: icon?.dataset.level ?? '', height: Number(icon?.querySelector('rect')?.getAttribute('height')) };
}

test.each([
  [0, 0],
  [1, 25],
  [24.4, 25],
  // The class is that of the displayed whole percent.
  [24.9, 50],
  [25, 50],
  [49.4, 50],
  [49.9, 75],
  [50, 75],
  [74.4, 75],
  [74.9, 100],
  [75, 100],
  [100, 100],
])('the icon of %d percent is that of step %i', (percent, step) => {
  expect(drawn(percent)).toEqual({ step: String(step), height: HEIGHTS[step] });
});
