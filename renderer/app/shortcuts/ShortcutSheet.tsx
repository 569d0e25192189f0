// Overview of all keys, made from the registry, with a way to change them.
import { RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button/Button.tsx';
import { Dialog } from '../../ui/overlay/Dialog.tsx';
import { sheetGroups } from '../../shortcuts/sheet-groups.ts';
import { ShortcutRow } from '../../shortcuts/ShortcutRow.tsx';
import { useOwnKeys } from '../../shortcuts/use-own-keys.ts';

/** Whether the page has rows that the keys of lists move over. */
const hasList = () => document.querySelector('#main [role="grid"], #main [role="treegrid"]') !== null;

export function ShortcutSheet({ onClose }: { readonly onClose: () => void }) {
  const keys = useOwnKeys();
  const [lists] = useState(hasList);
  return (
    <Dialog
      open
      onClose={onClose}
      size="lg"
      title="Keyboard shortcuts"
      description="Shortcuts are off while you type in a field, except those with Ctrl or ⌘."
      footer={
        Object.keys(keys.own).length > 0 && (
          <Button icon={<RotateCcw />} onClick={keys.resetAll}>
            Reset all keys
          </Button>
        )
      }
    >
      <div className="columns-2 gap-8 max-sm:columns-1">
        {sheetGroups(keys.shortcuts, keys.own, { lists }).map((group) => (
          <section key={group.label} className="mb-5 break-inside-avoid">
            <h3 className="mb-1 text-sm font-medium text-faint">{group.label}</h3>
            <ul>
              {group.rows.map((row) => (
                <ShortcutRow key={row.id} row={row} keys={keys} className="min-h-7 border-b border-border/60 text-base" />
              ))}
            </ul>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
