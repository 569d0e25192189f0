// Implementation of Menu: opening, arrow keys, placing. A chunk of its own.
import { DropdownMenu as Primitive } from 'radix-ui';
import type { MenuProps } from './Menu.tsx';
import { MENU_ITEM, MENU_PANEL, type MenuItem } from './menu-items.ts';
import { MenuItemBody } from './MenuItemBody.tsx';

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
          {items.map((item, index) => (
            <Entry key={typeof item === 'object' && 'id' in item ? item.id : index} item={item} />
          ))}
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
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
