// Scrolling of a conversation: stays at its end while the user is there, and keeps its place when earlier turns are added above.
import { useCallback, useEffect, useRef, useState, type RefObject } from 'react';

/** Distance from the end that counts as the end. */
const END_PX = 64;

const placeOf = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => ({ scrollTop, scrollHeight, clientHeight });
const isAtEndOf = ({ scrollTop, scrollHeight, clientHeight }: HTMLElement) => scrollHeight - scrollTop - clientHeight < END_PX;

export interface PinnedScroll {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  /** Whether the end is on screen. */
  readonly atEnd: boolean;
  readonly onScroll: () => void;
  readonly toEnd: () => void;
  /** Brings an element of the content to the top, and keeps it there until the person scrolls; returns whether it exists. */
  readonly toElement: (selector: string) => boolean;
  /** Call before content is added above. */
  readonly keepPlace: () => void;
}

export function usePinnedScroll(): PinnedScroll {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  const fromEnd = useRef<number>(undefined);
  const kept = useRef<Element>(undefined);
  const last = useRef({ scrollTop: 0, scrollHeight: 0, clientHeight: 0 });
  const [atEnd, setAtEnd] = useState(true);
  const toEnd = useCallback(() => {
    pinned.current = true;
    kept.current = undefined;
    setAtEnd(true);
    const element = scroller.current;
    if (element) element.scrollTop = element.scrollHeight;
  }, []);
  const toElement = useCallback((selector: string) => {
    const found = content.current?.querySelector(selector);
    if (!found) return false;
    pinned.current = false;
    kept.current = found;
    found.scrollIntoView({ block: 'start' });
    return true;
  }, []);
  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const before = last.current;
    last.current = placeOf(element);
    const isAtEnd = isAtEndOf(element);
    // A new layout scrolls too. Only a person scrolls up while nothing became lower.
    const isPerson =
      element.scrollTop < before.scrollTop && element.scrollHeight >= before.scrollHeight && element.clientHeight === before.clientHeight;
    if (isAtEnd || isPerson) pinned.current = isAtEnd;
    setAtEnd(pinned.current);
  }, []);
  const keepPlace = useCallback(() => {
    const element = scroller.current;
    if (element) fromEnd.current = element.scrollHeight - element.scrollTop;
  }, []);
  useEffect(() => {
    const element = scroller.current;
    if (!element || !content.current) return undefined;
    const observer = new ResizeObserver(() => {
      if (kept.current) kept.current.scrollIntoView({ block: 'start' });
      else if (fromEnd.current !== undefined) element.scrollTop = element.scrollHeight - fromEnd.current;
      fromEnd.current = undefined;
      // Content that became lower may bring the end on screen without a scroll.
      if (!kept.current && (pinned.current || isAtEndOf(element))) toEnd();
      last.current = placeOf(element);
    });
    observer.observe(content.current);
    observer.observe(element);
    const release = () => (kept.current = undefined);
    const hands = ['wheel', 'touchmove', 'pointerdown', 'keydown'] as const;
    for (const hand of hands) element.addEventListener(hand, release, { passive: true });
    return () => {
      observer.disconnect();
      for (const hand of hands) element.removeEventListener(hand, release);
    };
  }, [toEnd]);
  return { scroller, content, atEnd, onScroll, toEnd, toElement, keepPlace };
}
