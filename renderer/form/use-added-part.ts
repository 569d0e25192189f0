// Focus of a part that a button of a form adds: the button may go as the part comes.
import { useEffect, useRef, type RefObject } from 'react';
import { firstField } from '../ui/input/first-field.ts';

interface AddedPart {
  /** The element whose children carry their part as `data-part`. */
  readonly frame: RefObject<HTMLDivElement | null>;
  /** Called when a part is added. */
  readonly announce: (part: string | number) => void;
}

/** Focuses the first control of the part, once it is drawn. */
export function useAddedPart(): AddedPart {
  const frame = useRef<HTMLDivElement>(null);
  const awaited = useRef<string>(undefined);
  useEffect(() => {
    if (awaited.current === undefined) return;
    const parts = [...(frame.current?.children ?? [])] as HTMLElement[];
    const added = parts.find(({ dataset }) => dataset['part'] === awaited.current);
    const control = firstField(added) ?? added?.querySelector('button');
    if (!control) return;
    awaited.current = undefined;
    control.focus();
  });
  return { frame, announce: (part) => void (awaited.current = String(part)) };
}
