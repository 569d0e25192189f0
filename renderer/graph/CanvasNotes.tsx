// Sticky notes and groups on the canvas: moved by their bar, resized at their corner, written in place. By keys too: Alt with arrows moves.
import { useReactFlow, ViewportPortal } from '@xyflow/react';
import { X } from 'lucide-react';
import { useRef, useState, type KeyboardEvent, type PointerEvent } from 'react';
import { cn } from '../ui/cn.ts';
import { IconButton } from '../ui/button/IconButton.tsx';
import { ARROWS } from './walk.ts';
import { NOTE_MIN, TEXT_MAX, type CanvasNote } from './notes.ts';

export interface CanvasNotesProps {
  readonly notes: readonly CanvasNote[];
  /** Takes all notes with one change; absent where nothing may be edited. */
  readonly onChange?: ((label: string, notes: readonly CanvasNote[]) => void) | undefined;
}

type Change = Partial<Pick<CanvasNote, 'x' | 'y' | 'width' | 'height'>>;

const STEP = 8;
/** The library raises a selected agent by 1000. */
const ABOVE_AGENTS = 1001;
const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-STEP, 0],
  ArrowRight: [STEP, 0],
  ArrowUp: [0, -STEP],
  ArrowDown: [0, STEP],
};

/** A drag of the pointer in the canvas's own px, shown before it is kept. */
function useDrag(note: CanvasNote, shape: (dx: number, dy: number) => Change, onEnd: (change: Change) => void) {
  const { getZoom } = useReactFlow();
  const begun = useRef<{ readonly x: number; readonly y: number } | undefined>(undefined);
  const [change, setChange] = useState<Change>();
  const at = (event: PointerEvent) => {
    const zoom = getZoom();
    return shape((event.clientX - (begun.current?.x ?? 0)) / zoom, (event.clientY - (begun.current?.y ?? 0)) / zoom);
  };
  return {
    box: { ...note, ...change },
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLElement>) => {
        // A captured pointer would take the click of a button in the bar. Behind a context menu no release is reported.
        if (event.button !== 0 || (event.target instanceof Element && event.target.closest('button'))) return;
        event.stopPropagation();
        begun.current = { x: event.clientX, y: event.clientY };
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event: PointerEvent) => {
        if (begun.current) setChange(at(event));
      },
      onPointerUp: (event: PointerEvent) => {
        if (!begun.current) return;
        const made = at(event);
        begun.current = undefined;
        setChange(undefined);
        if (made.x !== note.x || made.y !== note.y) onEnd(made);
      },
      // A gesture of the system takes the pointer away without a release.
      onPointerCancel: () => {
        begun.current = undefined;
        setChange(undefined);
      },
    },
  };
}

function Corner({ handlers }: { readonly handlers: ReturnType<typeof useDrag>['handlers'] }) {
  return (
    <span
      aria-hidden
      {...handlers}
      className="pointer-events-auto absolute right-0 bottom-0 size-4 cursor-nwse-resize touch-none rounded-br-lg border-r-2 border-b-2 border-border-strong"
    />
  );
}

interface NoteProps {
  readonly note: CanvasNote;
  readonly onChange: ((label: string, change: Partial<CanvasNote> | undefined) => void) | undefined;
}

/** Kept when the field is left: each note is one undo step. */
function NoteText({ note: { kind, text }, onChange }: NoteProps) {
  const word = kind === 'group' ? 'group' : 'note';
  const [draft, setDraft] = useState<string>();
  const write = () => {
    if (draft !== undefined && draft !== text) onChange?.(`Write the ${word}`, { text: draft });
    setDraft(undefined);
  };
  return (
    <textarea
      aria-label={kind === 'group' ? 'Title of the group' : 'Text of the note'}
      readOnly={!onChange}
      rows={1}
      maxLength={TEXT_MAX}
      dir="auto"
      placeholder={kind === 'group' ? 'Title' : 'Write a note'}
      value={draft ?? text}
      onChange={(event) => setDraft(event.target.value)}
      onBlur={write}
      className={cn(
        'pointer-events-auto resize-none rounded-md bg-transparent px-2 pb-1 outline-offset-0 placeholder:text-muted',
        kind === 'group' ? '-mt-6 h-6 w-2/3 font-semibold' : 'min-h-0 flex-1',
      )}
    />
  );
}

function NoteView({ note, onChange }: NoteProps) {
  const { kind, text, x, y, width, height } = note;
  const word = kind === 'group' ? 'group' : 'note';
  const move = useDrag(
    note,
    (dx, dy) => ({ x: x + dx, y: y + dy }),
    (change) => onChange?.(`Move the ${word}`, change),
  );
  const resize = useDrag(
    note,
    (dx, dy) => ({ width: Math.max(NOTE_MIN.width, width + dx), height: Math.max(NOTE_MIN.height, height + dy) }),
    (change) => onChange?.(`Resize the ${word}`, change),
  );
  const box = { ...move.box, width: resize.box.width, height: resize.box.height };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    const [dx, dy] = MOVES[event.key] ?? [0, 0];
    if (!event.altKey || !ARROWS.includes(event.key)) return;
    event.preventDefault();
    onChange?.(`Move the ${word}`, { x: x + dx, y: y + dy });
  };
  return (
    <section
      data-note
      aria-label={`${kind === 'group' ? 'Group' : 'Note'} ${text.slice(0, 60)}`.trim()}
      onKeyDown={onKeyDown}
      style={{
        transform: `translate(${box.x}px, ${box.y}px)`,
        width: box.width,
        height: box.height,
        zIndex: kind === 'group' ? -1 : ABOVE_AGENTS,
      }}
      className={cn(
        'nopan nodrag nowheel absolute flex flex-col rounded-lg border text-md',
        kind === 'group'
          ? 'pointer-events-none border-dashed border-border-strong bg-neutral-soft/40'
          : 'pointer-events-auto border-warn/40 bg-warn-soft text-text shadow-raised',
      )}
    >
      <header
        {...(onChange && move.handlers)}
        className={cn(
          'pointer-events-auto flex h-7 shrink-0 items-center gap-1 rounded-t-lg pr-0.5 pl-2',
          onChange && 'cursor-move touch-none',
        )}
      >
        <span className="min-w-0 flex-1 truncate text-sm text-muted">{kind === 'group' ? '' : 'Note'}</span>
        {onChange && (
          <IconButton size="sm" label={`Remove the ${word}`} icon={<X />} onClick={() => onChange(`Remove the ${word}`, undefined)} />
        )}
      </header>
      <NoteText note={note} onChange={onChange} />
      {onChange && <Corner handlers={resize.handlers} />}
    </section>
  );
}

export function CanvasNotes({ notes, onChange }: CanvasNotesProps) {
  if (notes.length === 0) return null;
  const changeOf = (index: number) =>
    onChange &&
    ((label: string, change: Partial<CanvasNote> | undefined) =>
      onChange(
        label,
        notes.flatMap((each, at) => (at !== index ? [each] : change === undefined ? [] : [{ ...each, ...change }])),
      ));
  return (
    <ViewportPortal>
      {notes.map((note, index) => (
        <NoteView key={note.id} note={note} onChange={changeOf(index)} />
      ))}
    </ViewportPortal>
  );
}
