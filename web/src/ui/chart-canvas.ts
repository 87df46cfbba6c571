/** The inner size of an element, for the canvas in it. */
export function sizeOf({ clientWidth, clientHeight }: HTMLElement): { width: number; height: number } {
  return { width: clientWidth, height: clientHeight };
}

/** Resolves a color for a canvas, which does not support custom properties. */
export function colorOf(element: HTMLElement, color: string): string {
  element.style.color = color;
  const computed = getComputedStyle(element).color;
  element.style.color = '';
  return computed;
}
