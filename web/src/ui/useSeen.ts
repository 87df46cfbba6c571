import { type RefObject, useEffect, useRef, useState } from 'react';

/** Loads a little before it is on the screen. */
const MARGIN = '200px';

/** Whether the element has been scrolled into sight, by whatever means: wheel, keyboard or the focus that moves on. */
export function useSeen<E extends Element>(): [ref: RefObject<E | null>, seen: boolean] {
  const ref = useRef<E>(null);
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (seen || !element) return;
    const observer = new IntersectionObserver(
      (entries) => setSeen(entries.some(({ isIntersecting }) => isIntersecting)),
      { rootMargin: MARGIN },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [seen]);
  return [ref, seen];
}
