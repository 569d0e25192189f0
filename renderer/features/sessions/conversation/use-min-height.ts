// Keeps the height of growing content while it is replaced: withdrawn text must not make the page jump.
import { useLayoutEffect, useRef, type RefObject } from 'react';

/** For an element with one child. While `active` it is never lower than its child has been. */
export function useMinHeight(active: boolean): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const element = frame.current;
    const content = element?.firstElementChild;
    if (!element || !content || !active) return undefined;
    let height = 0;
    const observer = new ResizeObserver(() => {
      height = Math.max(height, content.clientHeight);
      element.style.minHeight = `${height}px`;
    });
    observer.observe(content);
    return () => {
      observer.disconnect();
      element.style.minHeight = '';
    };
  }, [active]);
  return frame;
}
