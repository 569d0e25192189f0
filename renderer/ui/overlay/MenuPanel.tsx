// Implementation of Menu: opening, arrow keys, placing. A chunk of its own.
import { DropdownMenu as Primitive } from 'radix-ui';
import type { MenuProps } from './Menu.tsx';
import { MENU_ITEM, MENU_PANEL, type MenuItem, type MenuAction } from './menu-items.ts';
import { Check } from 'lucide-react';
import { cn } from '../cn.ts';
import { Kbd } from '../text/Kbd.tsx';

export interface MenuPanelProps extends MenuProps {
  /** Whether the button was pressed before this was loaded. */
  readonly startsOpen: boolean;
}

export function MenuPanel({ trigger, items, align = 'start', header, startsOpen }: MenuPanelProps) {
  return (
    <Primitive.Root modal={false} defaultOpen={startsOpen}>
      <Primitive.Trigger asChild>{trigger}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content align={align} sideOffset={4} collisionPadding={8} className={MENU_PANEL}>
          {header}
          <MenuEntries items={items} />
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}

export function MenuEntries({ items }: Pick<MenuProps, 'items'>) {
  return items.map((item, index) => <Entry key={typeof item === 'object' && 'id' in item ? item.id : index} item={item} />);
}

function Entry({ item }: { readonly item: MenuItem }) {
  if (item === 'separator') return <Primitive.Separator className="my-1 h-px bg-border" />;
  if ('heading' in item) return <Primitive.Label className="px-2 pt-2 pb-1 text-xs font-medium text-faint">{item.heading}</Primitive.Label>;
  const shared = {
    className: MENU_ITEM,
    disabled: item.disabledReason !== undefined,
    onSelect: (event: Event) => {
      if (item.keepOpen) event.preventDefault();
      item.onSelect();
    },
  };
  if (item.checked === undefined) {
    return (
      <Primitive.Item {...shared}>
        <MenuItemBody item={item} />
      </Primitive.Item>
    );
  }
  return (
    <Primitive.CheckboxItem {...shared} checked={item.checked}>
      <MenuItemBody item={item} />
    </Primitive.CheckboxItem>
  );
}

/** Content of one item of a menu. */
function MenuItemBody({ item }: { readonly item: MenuAction }) {
  return (
    <>
      {item.checked !== undefined && <span className="flex w-4 justify-center">{item.checked && <Check aria-hidden />}</span>}
      {item.icon}
      <span className={cn('min-w-0 flex-1', item.danger && 'text-danger')}>
        <span className="block truncate">{item.label}</span>
        {item.disabledReason !== undefined && <span className="block text-sm text-pretty text-muted">{item.disabledReason}</span>}
      </span>
      {item.shortcut && <Kbd hint keys={item.shortcut} className="ml-4 text-faint" />}
    </>
  );
}
