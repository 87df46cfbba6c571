import { useComputedColorScheme } from '@mantine/core';
import { type RefObject, useEffect, useEffectEvent, useRef } from 'react';
import type uPlot from 'uplot';

/**
 * Draws a chart that has the size of the element with the returned ref, and draws a new one when one of these values changes: data or
 * lengths that the canvas shows.
 */
export function useChart(
  draw: (element: HTMLElement) => uPlot,
  values: readonly unknown[],
): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null);
  const drawIn = useEffectEvent(draw);
  // The colors are painted, so a change of the scheme needs a new chart.
  const scheme = useComputedColorScheme();

  // biome-ignore lint/correctness/useExhaustiveDependencies: the scheme is read from the style sheet, the values by the caller
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const chart = drawIn(element);
    const observer = new ResizeObserver(() => chart.setSize(sizeOf(element)));
    observer.observe(element);
    return () => {
      observer.disconnect();
      chart.destroy();
    };
  }, [...values, scheme]);
  return host;
}

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
