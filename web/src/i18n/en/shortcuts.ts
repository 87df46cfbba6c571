export const shortcuts = {
  single: 'Single-key shortcuts',
  singleHint: 'Turn these off if speech input or accidental key presses trigger them.',
  singleKeys: [
    { keys: ['j', 'k'], does: 'Next or previous row of a list' },
    { keys: ['/'], does: 'Search in a list' },
    { keys: ['?'], does: 'Show this help' },
  ],
  otherKeys: [
    { keys: ['↓', '↑'], does: 'Next or previous row, once a row is focused' },
    { keys: ['Enter'], does: 'Open the focused row' },
    { keys: ['Esc'], does: 'Close the open dialog or menu' },
  ],
} as const;
