// Sticky notes and groups of a picture, kept in an annotation apart from the spec. Pure.
import type { Box } from './layout.ts';
import { boundsOf } from './view.ts';

export interface CanvasNote extends Box {
  readonly id: string;
  /** A group is a titled frame behind agents; a note is a text beside them. */
  readonly kind: 'note' | 'group';
  readonly text: string;
}

/** The annotation that keeps notes apart from the spec. */
export const NOTES_ANNOTATION = 'svc.dev/ui-notes';

const NOTES_MAX = 200;
export const TEXT_MAX = 4000;
export const NOTE_MIN = { width: 120, height: 64 } as const;
const NEW_NOTE = { width: 220, height: 120 } as const;
const NEW_GROUP = { width: 360, height: 220 } as const;
/** Below the state of a run, which hangs under a card. */
const BELOW = 44;
/** A note farther away than that would not be seen. */
const REACH = 600;
const FRAME = { side: 28, top: 56 } as const;

function readNote(value: unknown, index: number): CanvasNote[] {
  if (typeof value !== 'object' || value === null) return [];
  const { k, t, b } = value as { readonly k?: unknown; readonly t?: unknown; readonly b?: unknown };
  const box = Array.isArray(b) ? (b as unknown[]).map(Number) : [];
  const [x = NaN, y = NaN, width = NaN, height = NaN] = box;
  if (![x, y, width, height].every(Number.isFinite)) return [];
  return [
    {
      ...{ id: String(index), x, y, width: Math.max(NOTE_MIN.width, width), height: Math.max(NOTE_MIN.height, height) },
      kind: k === 'group' ? 'group' : 'note',
      text: typeof t === 'string' ? t.slice(0, TEXT_MAX) : '',
    },
  ];
}

/** `[{"k":"note","t":"Why","b":[x,y,width,height]}]`. Invalid text holds no notes. */
export function readNotes(annotation: unknown): readonly CanvasNote[] {
  try {
    const parsed: unknown = JSON.parse(typeof annotation === 'string' ? annotation : '[]');
    return Array.isArray(parsed) ? (parsed as unknown[]).slice(0, NOTES_MAX).flatMap(readNote) : [];
  } catch {
    return [];
  }
}

/** The annotation, or undefined when there is nothing to keep. */
export function writeNotes(notes: readonly CanvasNote[]): string | undefined {
  if (notes.length === 0) return undefined;
  const kept = notes.slice(0, NOTES_MAX).map(({ kind, text, x, y, width, height }) => ({
    k: kind,
    t: text.slice(0, TEXT_MAX),
    b: [x, y, width, height].map(Math.round),
  }));
  return JSON.stringify(kept);
}

export interface NotePlace {
  readonly at: { readonly x: number; readonly y: number };
  /** Agents that a group frames. */
  readonly around: readonly Box[];
  /** Boxes that a note must not cover. */
  readonly taken: readonly Box[];
}

const meets = (a: Box, b: Box) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** A new note at a place, below the picture where that would cover a part of it and is near; or a group around agents. */
export function newNote(kind: CanvasNote['kind'], { at, around, taken }: NotePlace): CanvasNote {
  const made = { id: '', kind, text: '' };
  const size = kind === 'group' ? NEW_GROUP : NEW_NOTE;
  const plain = { x: at.x - size.width / 2, y: at.y - size.height / 2, ...size };
  if (kind === 'note') {
    const picture = boundsOf(taken);
    const below = picture.y + picture.height + BELOW;
    const moves = taken.length > 0 && meets(plain, picture) && below - at.y <= REACH;
    return { ...made, ...plain, ...(moves && { y: below }) };
  }
  if (around.length === 0) return { ...made, ...plain };
  const { x, y, width, height } = boundsOf(around);
  return {
    ...made,
    ...{ x: x - FRAME.side, y: y - FRAME.top },
    ...{ width: width + 2 * FRAME.side, height: height + FRAME.top + FRAME.side },
  };
}
