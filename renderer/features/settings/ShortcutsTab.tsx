// Keys that work on every page. Keys of single pages are on their sheet, which ? opens there.
import { RotateCcw } from 'lucide-react';
import { sheetGroups } from '../../shortcuts/sheet-groups.ts';
import { ShortcutRow } from '../../shortcuts/ShortcutRow.tsx';
import { useOwnKeys } from '../../shortcuts/use-own-keys.ts';
import { Button } from '../../ui/button/Button.tsx';
import { Card } from '../../ui/layout/Card.tsx';

export function ShortcutsTab() {
  const keys = useOwnKeys();
  return (
    <div className="max-w-5xl gap-4 p-6 max-sm:p-4 lg:columns-2">
      {sheetGroups(keys.shortcuts, keys.own)
        .filter(({ label }) => label !== 'This page')
        .map(({ label, rows }) => (
          <Card key={label} title={label} flush className="mb-4 break-inside-avoid">
            <ul className="divide-y divide-border/60">
              {rows.map((row) => (
                <ShortcutRow key={row.id} row={row} keys={keys} className="px-4 py-1" />
              ))}
            </ul>
          </Card>
        ))}
      {Object.keys(keys.own).length > 0 && (
        <div>
          <Button icon={<RotateCcw />} onClick={keys.resetAll}>
            Reset all keys
          </Button>
        </div>
      )}
    </div>
  );
}
