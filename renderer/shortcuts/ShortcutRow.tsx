// One shortcut and its keys, which can be changed in place: the same row on the sheet and in the settings.
import { Pencil, RotateCcw } from 'lucide-react';
import { useRef, useState } from 'react';
import { cn } from '../ui/cn.ts';
import { focusRendered } from '../ui/focus-rendered.ts';
import { IconButton } from '../ui/button/IconButton.tsx';
import { Kbd } from '../ui/text/Kbd.tsx';
import { KeysField } from './KeysField.tsx';
import { clashOf } from './shortcut-clash.ts';
import type { SheetRow } from './sheet-groups.ts';
import type { OwnKeys } from './use-own-keys.ts';

export interface ShortcutRowProps {
  readonly row: SheetRow;
  readonly keys: OwnKeys;
  readonly className?: string;
}

export function ShortcutRow({ row, keys, className }: ShortcutRowProps) {
  const [editing, setEditing] = useState(false);
  const change = useRef<HTMLButtonElement>(null);
  const stop = () => {
    setEditing(false);
    // The field is removed, and its opener exists again only after the next render.
    focusRendered(() => change.current);
  };
  return (
    <li className={cn('flex min-h-9 items-center gap-2', className)}>
      <span className="min-w-0 flex-1 truncate">{row.label}</span>
      {editing ? (
        <KeysField
          initial={row.keys}
          clash={(wanted) => clashOf(wanted, row.id, keys)}
          onSave={(wanted) => {
            keys.change(row.id, wanted);
            stop();
          }}
          onCancel={stop}
        />
      ) : (
        <>
          {row.shortcut && keys.own[row.id] !== undefined && (
            <IconButton
              size="sm"
              label={`Original keys of “${row.label}”`}
              icon={<RotateCcw />}
              onClick={() => {
                keys.reset(row.id);
                change.current?.focus();
              }}
            />
          )}
          {row.shortcut && (
            <IconButton
              ref={change}
              size="sm"
              label={`Change the keys of “${row.label}”`}
              icon={<Pencil />}
              onClick={() => setEditing(true)}
            />
          )}
          {row.keys === '' ? <span className="text-sm text-faint">none</span> : <Kbd keys={row.keys} className="text-muted" />}
        </>
      )}
    </li>
  );
}
