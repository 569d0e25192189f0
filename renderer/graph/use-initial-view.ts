// The visible part of the canvas over time: the initial part until somebody moves it, and the same part on a canvas of another size.
import type { ReactFlowInstance, Viewport } from '@xyflow/react';
import { useCallback, useEffect, useRef, type RefObject } from 'react';

interface Looks {
  readonly look: (screen: DOMRect) => void;
  /** The agent where the run is. */
  readonly foremost: string | undefined;
  /** Moves the view no further than to show another foremost agent. */
  readonly follow: (agent: string, screen: DOMRect) => void;
  /** Keeps a view that was moved, on a canvas of another size. */
  readonly refit: (before: DOMRect, after: DOMRect) => void;
}

/**
 * Until somebody moves the view, it shows the initial part, even when the canvas changes its size, and follows the foremost agent. A moved view
 * is kept then. A move by key or button is reported by `keep`.
 */
export function useInitialView(root: RefObject<HTMLElement | null>, looks: Looks) {
  const moved = useRef(false);
  const latest = useRef(looks);
  useEffect(() => {
    latest.current = looks;
  });
  const before = useRef<DOMRect>(undefined);
  useEffect(() => {
    const element = root.current;
    if (!element || typeof ResizeObserver === 'undefined') return;
    const observer = new ResizeObserver(() => {
      const screen = element.getBoundingClientRect();
      // Hidden by another tab.
      if (screen.width === 0 || screen.height === 0) return;
      if (!moved.current) latest.current.look(screen);
      else if (before.current) latest.current.refit(before.current, screen);
      before.current = screen;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [root]);
  const { foremost } = looks;
  useEffect(() => {
    // A run that has ended well leaves the view where it was.
    if (foremost === undefined || moved.current || !root.current) return;
    latest.current.follow(foremost, root.current.getBoundingClientRect());
  }, [foremost, root]);
  const keep = useCallback(() => {
    moved.current = true;
  }, []);
  const onMoveStart = (event: MouseEvent | TouchEvent | null) => {
    if (event) keep();
  };
  return { keep, onMoveStart };
}

/** Restores the visible part of the canvas when its tab returns; the library starts over. */
export function useKeptView(flow: () => Pick<ReactFlowInstance, 'getViewport' | 'setViewport'> | undefined) {
  const left = useRef<Viewport>(undefined);
  useEffect(() => {
    if (left.current) void flow()?.setViewport(left.current);
    return () => {
      left.current = flow()?.getViewport();
    };
  }, [flow]);
}
