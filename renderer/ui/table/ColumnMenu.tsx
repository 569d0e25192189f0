// Which columns of a table are shown.
import { Columns3 } from 'lucide-react';
import { Button } from '../button/Button.tsx';
import { Menu } from '../overlay/Menu.tsx';

export interface ColumnMenuProps {
  readonly columns: readonly { readonly id: string; readonly title: string; readonly pinned?: boolean }[];
  readonly hidden: ReadonlySet<string>;
  readonly onChange: (hidden: ReadonlySet<string>) => void;
}

export function ColumnMenu({ columns, hidden, onChange }: ColumnMenuProps) {
  const toggle = (id: string) => {
    const next = new Set(hidden);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <Menu
      align="end"
      trigger={<Button icon={<Columns3 />}>Columns</Button>}
      items={columns
        .filter((column) => column.pinned !== true)
        .map((column) => ({
          id: column.id,
          label: column.title,
          checked: !hidden.has(column.id),
          keepOpen: true,
          onSelect: () => toggle(column.id),
        }))}
    />
  );
}
