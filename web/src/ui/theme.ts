import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const brand: MantineColorsTuple = [
  '#e6f6f9',
  '#cdebf1',
  '#9bd8e4',
  '#68c3d4',
  '#3fb0c4',
  '#1d9bb1',
  '#0f879c',
  '#0a7589',
  '#066478',
  '#054f5f',
];

const dark: MantineColorsTuple = [
  '#d8dee4',
  '#b9c2cb',
  '#96a1ac',
  '#6b7681',
  '#3d464f',
  '#313941',
  '#242b32',
  '#1a2026',
  '#12171c',
  '#0c1014',
];

const FONT = "'Inter Variable', system-ui, sans-serif";

export const theme = createTheme({
  primaryColor: 'brand',
  // Lighter shades leave white text on a filled button below 4.5:1.
  primaryShade: { light: 8, dark: 8 },
  colors: { brand, dark },
  fontFamily: FONT,
  headings: { fontFamily: FONT, fontWeight: '650' },
  defaultRadius: 'md',
  cursorType: 'pointer',
  respectReducedMotion: true,
});

/** The kit's own red, gray and placeholder stay below 4.5:1 on our backgrounds, and its borders of controls below 3:1. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-body': '#ffffff',
    '--mantine-color-gray-4': 'var(--control-line)',
    '--mantine-color-error': '#b42318',
    '--mantine-color-dimmed': '#56616c',
    '--mantine-color-placeholder': '#66717c',
  },
  dark: {
    '--mantine-color-body': dark[7],
    '--mantine-color-dark-4': 'var(--control-line)',
    '--mantine-color-error': '#ff9d94',
    '--mantine-color-dimmed': '#9aa5b0',
    '--mantine-color-placeholder': '#8a95a0',
  },
});
