// Content that keeps its state, such as an open dialog, when a layout gives it another place on the page.
import { useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

export interface Movable {
  /** Rendered once, outside of the layouts. */
  readonly content: ReactNode;
  /** Where the content appears; one at a time. */
  readonly place: ReactNode;
}

function createHost(): HTMLElement {
  const host = document.createElement('div');
  host.className = 'contents';
  return host;
}

/** The content is mounted once it has a place, and stays mounted without one. */
export function useMovable(children: ReactNode): Movable {
  const [host] = useState(createHost);
  const [placed, setPlaced] = useState(false);
  // Stable: React calls a new function after each render, and a second append would move the focus out.
  const [attach] = useState(() => (place: HTMLElement | null) => {
    if (!place) return;
    place.append(host);
    setPlaced(true);
  });
  return { content: placed && createPortal(children, host), place: <div ref={attach} className="contents" /> };
}
