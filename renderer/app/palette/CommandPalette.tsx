// Search and commands: one field for everything. A chunk of its own, which sends no request before it is open.
import { Command } from 'cmdk';
import { Dialog } from 'radix-ui';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Kbd } from '../../ui/text/Kbd.tsx';
import { Spinner } from '../../ui/feedback/Spinner.tsx';
import { useFocusReturn } from '../../ui/overlay/use-focus-return.ts';
import { MODE_HINTS, readPalette, type PaletteMode } from './palette-model.ts';
import { usePaletteEntries, type PaletteEntry } from './use-palette-entries.tsx';

export interface CommandPaletteProps {
  /** Initial text of the field: `@` opens it to switch namespace. */
  readonly initialText: string;
  readonly onClose: () => void;
}

const PLACEHOLDERS: Readonly<Record<PaletteMode, string>> = {
  search: 'Find anything by name, or type > @ # ?',
  actions: 'Run a command',
  namespaces: 'Switch to a namespace, or name a new one',
  kinds: 'Go to a kind of resource',
  help: 'How the palette works',
};

/** With its first appearance, and not after the next frame: letters typed until then would be lost. */
const takeFocus = (field: HTMLInputElement | null) => field?.focus();

export function CommandPalette({ initialText, onClose }: CommandPaletteProps) {
  const giveBack = useFocusReturn(true);
  const [text, setText] = useState(initialText);
  const { mode, query } = readPalette(text);
  const { groups, loading, problem } = usePaletteEntries(mode, query);
  const selection = useFirstSelected(text, groups[0]?.entries[0]?.id ?? '');
  const choose = (entry: PaletteEntry) => {
    if (entry.text !== undefined) {
      setText(entry.text);
      return;
    }
    onClose();
    entry.run?.();
  };
  const onEnter = useEnterAhead({ text, loading, first: groups[0]?.entries[0], choose });
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Overlay className="fixed inset-0 z-40 bg-scrim" />
        <Dialog.Content
          onCloseAutoFocus={giveBack}
          aria-describedby={undefined}
          className="fixed top-[12vh] left-1/2 z-40 w-[calc(100vw-2rem)] max-w-xl -translate-x-1/2 animate-pop overflow-hidden rounded-xl bg-raised shadow-overlay focus-visible:outline-none forced-colors:border"
        >
          <Dialog.Title className="sr-only">Search and commands</Dialog.Title>
          <Command label="Search and commands" shouldFilter={false} loop {...selection} className="flex max-h-[70vh] flex-col">
            <div className="flex items-center gap-2 border-b border-border px-4">
              <Command.Input
                ref={takeFocus}
                value={text}
                onValueChange={setText}
                onKeyDown={onEnter}
                placeholder={PLACEHOLDERS[mode]}
                className="h-12 min-w-0 flex-1 bg-transparent text-md text-text outline-none"
              />
              {loading && <Spinner />}
            </div>
            <Command.List className="min-h-0 flex-1 scroll-py-2 overflow-y-auto p-2">
              {groups.map((group) => (
                <Command.Group
                  key={group.label}
                  heading={group.label}
                  className="[&_[cmdk-group-heading]]:px-2 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-xs [&_[cmdk-group-heading]]:font-medium [&_[cmdk-group-heading]]:text-faint"
                >
                  {group.entries.map((entry) => (
                    <Entry key={entry.id} entry={entry} onChoose={choose} />
                  ))}
                </Command.Group>
              ))}
              {!loading && problem !== undefined && <p className="px-2 py-6 text-center text-danger">{problem}</p>}
              {!loading && problem === undefined && groups.length === 0 && (
                <p role="status" className="px-2 py-8 text-center text-muted">
                  No results for “{query}”.
                </p>
              )}
            </Command.List>
            <Footer />
          </Command>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

/** The first entry stays selected, even when better ones arrive later, until the selection is moved by hand. */
function useFirstSelected(text: string, first: string) {
  const [chosen, setChosen] = useState<{ readonly text: string; readonly value: string }>();
  const byHand = useRef(false);
  const value = chosen?.text === text ? chosen.value : first;
  const moved = () => {
    byHand.current = true;
  };
  const onValueChange = (next: string) => {
    if (byHand.current) setChosen({ text, value: next });
    byHand.current = false;
  };
  const onKeyDownCapture = (event: KeyboardEvent) => {
    if (['ArrowDown', 'ArrowUp', 'Home', 'End'].includes(event.key) || event.ctrlKey) moved();
  };
  return { value, onValueChange, onKeyDownCapture, onPointerMoveCapture: moved };
}

interface Ahead {
  readonly text: string;
  readonly loading: boolean;
  readonly first: PaletteEntry | undefined;
  readonly choose: (entry: PaletteEntry) => void;
}

/** Enter pressed before the server has answered chooses the first entry of the answer, as long as the text stays the same. */
function useEnterAhead({ text, loading, first, choose }: Ahead) {
  const [pressedAt, setPressedAt] = useState<string>();
  const due = pressedAt === text && !loading;
  useEffect(() => {
    if (!due) return;
    setPressedAt(undefined);
    if (first) choose(first);
  }, [due, first, choose]);
  return (event: KeyboardEvent) => setPressedAt(event.key === 'Enter' && loading && first === undefined ? text : undefined);
}

function Entry({ entry, onChoose }: { readonly entry: PaletteEntry; readonly onChoose: (entry: PaletteEntry) => void }) {
  return (
    <Command.Item
      value={entry.id}
      onSelect={() => onChoose(entry)}
      className="flex min-h-8 cursor-pointer items-center gap-2.5 rounded-md px-2 py-1 text-base data-[selected=true]:bg-selected [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-faint"
    >
      {entry.icon}
      <span className="min-w-0 flex-1 truncate">{entry.label}</span>
      {entry.detail != null && <span className="flex shrink-0 items-center gap-2 text-sm text-muted">{entry.detail}</span>}
      {entry.keys && <Kbd hint keys={entry.keys} className="text-faint" />}
    </Command.Item>
  );
}

function Footer() {
  return (
    <footer
      aria-hidden
      className="flex flex-wrap gap-x-4 gap-y-1 border-t border-border bg-sunken px-4 py-2 text-xs text-faint max-sm:hidden"
    >
      {MODE_HINTS.map((hint) => (
        <span key={hint.prefix} className="inline-flex items-center gap-1">
          <Kbd keys={hint.prefix} /> {hint.label}
        </span>
      ))}
    </footer>
  );
}
