// Keys pressed after the palette was opened and before its code has loaded: text of its field, and never shortcuts of the page.
import { useLayoutEffect } from 'react';

export interface TypedAheadProps {
  /** Changes the text that the field will begin with. */
  readonly onText: (change: (text: string) => string) => void;
  readonly onClose: () => void;
}

export function TypedAhead({ onText, onClose }: TypedAheadProps) {
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      event.stopPropagation();
      const { key } = event;
      if (key === 'Escape') onClose();
      else if (key === 'Backspace') onText((text) => text.slice(0, -1));
      else if (key.length === 1) onText((text) => text + key);
    };
    window.addEventListener('keydown', onKeyDown, { capture: true });
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true });
  });
  return null;
}
