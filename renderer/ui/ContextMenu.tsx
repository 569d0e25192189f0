// A menu of actions at the pointer, or by the menu key on what has focus. Everything in it must be reachable elsewhere too.
import { ContextMenu as Primitive } from 'radix-ui';
import type { ReactNode } from 'react';
import { MENU_ITEM, MENU_PANEL, type MenuItem } from './menu-items.ts';
import { MenuItemBody } from './MenuItemBody.tsx';

export interface ContextMenuProps {
  readonly items: readonly MenuItem[];
  /** One element that takes a ref: what is clicked on. */
  readonly children: ReactNode;
}

export function ContextMenu({ items, children }: ContextMenuProps) {
  return (
    <Primitive.Root modal={false}>
      <Primitive.Trigger asChild>{children}</Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content collisionPadding={8} className={MENU_PANEL}>
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
  return (
    <Primitive.Item className={MENU_ITEM} disabled={item.disabledReason !== undefined} onSelect={item.onSelect}>
      <MenuItemBody item={item} />
    </Primitive.Item>
  );
}
