// The menu of a row. Becomes a menu only when the pointer or the keyboard comes to it, since scrolling mounts many rows.
import { useState } from 'react';
import { flushSync } from 'react-dom';
import { Menu } from '../../../ui/Menu.tsx';
import type { MenuItem } from '../../../ui/menu-items.ts';
import { MoreButton } from '../MoreButton.tsx';

export interface RowMenuProps {
  readonly label: string;
  readonly itemsOf: () => readonly MenuItem[];
}

export function RowMenu({ label, itemsOf }: RowMenuProps) {
  const [armed, setArmed] = useState(false);
  if (armed) return <Menu align="end" trigger={<MoreButton label={label} tabIndex={-1} />} items={itemsOf()} />;
  return <MoreButton label={label} tabIndex={-1} onPointerEnter={() => setArmed(true)} onKeyDown={() => flushSync(() => setArmed(true))} />;
}
