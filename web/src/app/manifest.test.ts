import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const PUBLIC = 'public';
const { icons } = JSON.parse(readFileSync(`${PUBLIC}/app.webmanifest`, 'utf8')) as {
  icons: { src: string; type: string; sizes: string; purpose?: string }[];
};
const page = readFileSync('index.html', 'utf8');

test('the home screen of each phone has an icon that it can show', () => {
  const sizes = icons
    .filter(({ type }) => type === 'image/png')
    .map(({ sizes, purpose = 'any' }) => `${sizes} ${purpose}`);
  expect(sizes).toEqual(['192x192 any', '512x512 any', '512x512 maskable']);
  for (const { src, type, sizes } of icons) {
    expect(existsSync(PUBLIC + src), src).toBe(true);
    if (type !== 'image/png') continue;
    const image = readFileSync(PUBLIC + src);
    // The width and the height stand in the header of a PNG.
    expect(`${image.readUInt32BE(16)}x${image.readUInt32BE(20)}`, src).toBe(sizes);
  }
  const touch = /rel="apple-touch-icon" href="([^"]+)"/.exec(page)?.[1];
  expect(icons.map(({ src }) => src)).toContain(touch);
});
