// All keys at a glance, made from the registry, and the place to change them.
import { Pencil, RotateCcw } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Input } from '../../ui/Input.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { SHORTCUT_KEYS } from '../preferences.ts';
import { usePreference } from '../use-preferences.ts';
import { normalKeys } from './key-match.ts';
import { allShortcuts, subscribe, type Shortcut } from './registry.ts';
import { sheetGroups } from './sheet-groups.ts';

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const shortcuts = useSyncExternalStore(subscribe, allShortcuts);
  const [own, setOwn] = usePreference(SHORTCUT_KEYS);
  const [edited, setEdited] = useState<string>();
  const save = (id: string, keys: string) => {
    setOwn({ ...own, [id]: normalKeys(keys) });
    setEdited(undefined);
  };
  const resetAll = () => setOwn({});
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title="Keyboard shortcuts"
      description="Keys do nothing while you write in a field, except those with Ctrl or ⌘."
      footer={
        Object.keys(own).length > 0 && (
          <Button icon={<RotateCcw />} onClick={resetAll}>
            Back to the original keys
          </Button>
        )
      }
    >
      <div className="columns-2 gap-8 max-sm:columns-1">
        {sheetGroups(shortcuts, own).map((group) => (
          <section key={group.label} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 text-sm font-medium text-faint">{group.label}</h3>
            <ul>
              {group.rows.map((row) => (
                <li key={row.id} className="group flex min-h-7 items-center gap-2 border-b border-border/60 text-base">
                  <span className="min-w-0 flex-1 truncate">{row.label}</span>
                  {edited === row.id ? (
                    <KeysInput initial={row.keys} onSave={(keys) => save(row.id, keys)} onCancel={() => setEdited(undefined)} />
                  ) : (
                    <>
                      {row.shortcut && <EditButton shortcut={row.shortcut} onEdit={() => setEdited(row.id)} />}
                      <Kbd keys={row.keys} className="text-muted" />
                    </>
                  )}
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function EditButton({ shortcut, onEdit }: { readonly shortcut: Shortcut; readonly onEdit: () => void }) {
  return (
    <IconButton
      size="sm"
      label={`Change the keys of “${shortcut.label}”`}
      icon={<Pencil />}
      onClick={onEdit}
      className="opacity-0 group-hover:opacity-100 focus-visible:opacity-100 [&_svg]:size-3"
    />
  );
}

interface KeysInputProps {
  readonly initial: string;
  readonly onSave: (keys: string) => void;
  readonly onCancel: () => void;
}

function KeysInput({ initial, onSave, onCancel }: KeysInputProps) {
  const [keys, setKeys] = useState(initial);
  return (
    <form
      className="w-32"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(keys);
      }}
    >
      <Input
        ref={(input) => input?.focus()}
        mono
        aria-label="Keys, such as mod+k or g d; empty for none"
        placeholder="none"
        value={keys}
        onChange={(event) => setKeys(event.target.value)}
        onBlur={onCancel}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onCancel();
        }}
        className="h-6"
      />
    </form>
  );
}
