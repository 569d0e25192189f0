// The menu of a row.
import { Menu } from '../../../ui/Menu.tsx';
import type { MenuItem } from '../../../ui/menu-items.ts';
import { MoreButton } from '../MoreButton.tsx';

export interface RowMenuProps {
  readonly label: string;
  readonly items: readonly MenuItem[];
}

export function RowMenu({ label, items }: RowMenuProps) {
  return <Menu align="end" trigger={<MoreButton label={label} tabIndex={-1} />} items={items} />;
}
