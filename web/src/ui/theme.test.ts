import { readFileSync } from 'node:fs';
import { DEFAULT_THEME } from '@mantine/core';
import { expect, test } from 'vitest';
import { cssVariables } from './theme';

const SCHEMES = ['light', 'dark'] as const;
const BACKGROUNDS = ['--page', '--surface', '--surface-hover'];
const css = readFileSync('src/ui/app.css', 'utf8');
const tokens = new Map(
  Array.from(css.matchAll(/(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\);/g), ([, name = '', light = '', dark = '']) => [
    name,
    { light, dark },
  ]),
);

function luminance(color: string): number {
  const channels = [1, 3, 5].map((place) => Number.parseInt(color.slice(place, place + 2), 16) / 255);
  const [red = 0, green = 0, blue = 0] = channels.map((value) =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The contrast of WCAG 2, from 1 to 21. */
function contrast(one: string, other: string, scheme: (typeof SCHEMES)[number]): number {
  const [low = 0, high = 0] = [one, other]
    .map((name) => luminance(tokens.get(name)?.[scheme] ?? ''))
    .sort((one, other) => one - other);
  return (high + 0.05) / (low + 0.05);
}

test.each(SCHEMES)('borders of controls and lines of charts have a contrast of 3:1 in the %s scheme', (scheme) => {
  for (const background of BACKGROUNDS) {
    expect(contrast('--control-line', background, scheme), background).toBeGreaterThanOrEqual(3);
  }
  const series = [...tokens.keys()].filter((name) => name.startsWith('--series-'));
  expect(series).toHaveLength(9);
  for (const name of series) expect(contrast(name, '--surface', scheme), name).toBeGreaterThanOrEqual(3);
});

test.each(SCHEMES)(
  'the kit draws the borders of fields, checkboxes and radios with this color in the %s scheme',
  (scheme) => {
    const border = ({ light: '--mantine-color-gray-4', dark: '--mantine-color-dark-4' } as const)[scheme];
    expect(cssVariables(DEFAULT_THEME)[scheme][border]).toBe('var(--control-line)');
    for (const control of ['Input', 'Checkbox', 'Radio']) {
      const style = readFileSync(`node_modules/@mantine/core/styles/${control}.css`, 'utf8');
      const rule = control === 'Input' ? '--input-bd' : 'border-color';
      expect(style, control).toContain(`${rule}: var(${border});`);
    }
  },
);
