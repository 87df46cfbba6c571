/** The undo of a write within some seconds. */
export const undo = {
  button: 'Undo',
  left: (seconds: number) => `${seconds} s`,
} as const;
