// Content of one item of a menu.
import { Check } from 'lucide-react';
import { cn } from './cn.ts';
import { Kbd } from './Kbd.tsx';
import type { MenuAction } from './menu-items.ts';

export function MenuItemBody({ item }: { readonly item: MenuAction }) {
  return (
    <>
      {item.checked !== undefined && <span className="flex w-4 justify-center">{item.checked && <Check aria-hidden />}</span>}
      {item.icon}
      <span className={cn('min-w-0 flex-1', item.danger && 'text-danger')}>
        <span className="block truncate">{item.label}</span>
        {item.disabledReason !== undefined && <span className="block text-sm text-pretty text-muted">{item.disabledReason}</span>}
      </span>
      {item.shortcut && <Kbd keys={item.shortcut} className="ml-4 text-faint" />}
    </>
  );
}
