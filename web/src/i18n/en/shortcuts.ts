export const shortcuts = {
  single: 'Single-key shortcuts',
  singleHint: 'Turn these off if speech input or accidental key presses trigger them.',
  singleKeys: [
    { keys: ['j', 'k'], does: 'Next or previous row of a list' },
    { keys: ['x'], does: 'Select the focused row, where rows can be selected' },
    { keys: ['/'], does: 'Search in a list' },
    { keys: ['?'], does: 'Show this help' },
  ],
  otherKeys: [
    { keys: ['↓', '↑'], does: 'Next or previous row, once a row is focused' },
    { keys: ['Enter'], does: 'Open the focused row' },
    { keys: ['Esc'], does: 'Close the open dialog or menu, or leave the search field' },
  ],
} as const;
