import { type RefObject, useEffect, useRef, useState } from 'react';

/** Distance at which an element counts as visible, so that it loads before it is. */
const MARGIN = '200px';

/** Whether the element has been scrolled into view by pointer, keyboard or focus. */
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
