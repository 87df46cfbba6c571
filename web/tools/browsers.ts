/** The oldest supported browsers. The build, the check of used APIs and README.md name these. */
export const BROWSERS = { chrome: '123', edge: '123', firefox: '120', safari: '17.5' };
