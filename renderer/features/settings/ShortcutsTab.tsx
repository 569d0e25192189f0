// The keys of everything that has keys on every page. Keys of single pages are on their sheet, which ? opens there.
import { Pencil, RotateCcw } from 'lucide-react';
import { useState, useSyncExternalStore } from 'react';
import { SHORTCUT_KEYS } from '../../app/preferences.ts';
import { chordOf, normalKeys } from '../../app/shortcuts/key-match.ts';
import { allShortcuts, subscribe } from '../../app/shortcuts/registry.ts';
import { sheetGroups } from '../../app/shortcuts/sheet-groups.ts';
import { usePreference } from '../../app/use-preferences.ts';
import { Button } from '../../ui/Button.tsx';
import { Card } from '../../ui/Card.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { Input } from '../../ui/Input.tsx';
import { Kbd } from '../../ui/Kbd.tsx';
import { clashOf } from './shortcut-clash.ts';

export function ShortcutsTab() {
  const shortcuts = useSyncExternalStore(subscribe, allShortcuts);
  const [own, setOwn] = usePreference(SHORTCUT_KEYS);
  const [edited, setEdited] = useState<string>();
  const save = (id: string, keys: string) => {
    setOwn({ ...own, [id]: keys });
    setEdited(undefined);
  };
  const reset = (id: string) => setOwn(Object.fromEntries(Object.entries(own).filter(([key]) => key !== id)));
  return (
    <div className="max-w-5xl gap-4 p-6 max-sm:p-4 lg:columns-2">
      {sheetGroups(shortcuts, own)
        .filter(({ label }) => label !== 'This page')
        .map(({ label, rows }) => (
          <Card key={label} title={label} flush className="mb-4 break-inside-avoid">
            <ul className="divide-y divide-border/60">
              {rows.map((row) => (
                <li key={row.id} className="flex min-h-9 items-center gap-2 px-4 py-1">
                  <span className="min-w-0 flex-1 truncate">{row.label}</span>
                  {edited === row.id ? (
                    <KeysField
                      initial={row.keys}
                      clash={(keys) => clashOf(keys, row.id, { shortcuts, own })}
                      onSave={(keys) => save(row.id, keys)}
                      onCancel={() => setEdited(undefined)}
                    />
                  ) : (
                    <>
                      {row.keys === '' ? <span className="text-sm text-faint">none</span> : <Kbd keys={row.keys} />}
                      {row.shortcut && own[row.id] !== undefined && (
                        <IconButton
                          size="sm"
                          label={`Original keys of “${row.label}”`}
                          icon={<RotateCcw />}
                          onClick={() => reset(row.id)}
                        />
                      )}
                      {row.shortcut && (
                        <IconButton
                          size="sm"
                          label={`Change the keys of “${row.label}”`}
                          icon={<Pencil />}
                          onClick={() => setEdited(row.id)}
                        />
                      )}
                    </>
                  )}
                </li>
              ))}
            </ul>
          </Card>
        ))}
      {Object.keys(own).length > 0 && (
        <div>
          <Button icon={<RotateCcw />} onClick={() => setOwn({})}>
            Back to the original keys
          </Button>
        </div>
      )}
    </div>
  );
}

interface KeysFieldProps {
  readonly initial: string;
  readonly clash: (keys: string) => string | undefined;
  readonly onSave: (keys: string) => void;
  readonly onCancel: () => void;
}

function KeysField({ initial, clash, onSave, onCancel }: KeysFieldProps) {
  const [text, setText] = useState(initial);
  const keys = normalKeys(text);
  const other = clash(keys);
  return (
    <form
      className="flex flex-wrap items-center justify-end gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (other === undefined) onSave(keys);
      }}
    >
      {other !== undefined && (
        <span role="alert" className="text-sm text-danger">
          Taken by “{other}”
        </span>
      )}
      <Input
        ref={(input) => input?.focus()}
        mono
        aria-label="Keys, such as mod+k or g d; empty for none"
        aria-invalid={other !== undefined}
        placeholder="none"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') {
            event.stopPropagation();
            onCancel();
          } else if (event.ctrlKey || event.metaKey) {
            // A chord is easier pressed than spelt. Ctrl alone is only on its way.
            if (['Control', 'Meta', 'Shift', 'Alt'].includes(event.key)) return;
            event.preventDefault();
            setText(chordOf(event));
          }
        }}
        className="h-6 w-28"
      />
      <Button size="sm" type="submit" variant="primary" disabled={other !== undefined}>
        Save
      </Button>
    </form>
  );
}
