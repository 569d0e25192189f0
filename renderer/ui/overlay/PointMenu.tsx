// A menu of actions at a point of the window: the context menu of an object.
import { DropdownMenu as Primitive } from 'radix-ui';
import { MENU_PANEL, type MenuItem } from './menu-items.ts';
import { MenuEntries } from './MenuPanel.tsx';

export interface PointMenuProps {
  /** Its name: "Actions on planner". */
  readonly label: string;
  readonly at: { readonly x: number; readonly y: number };
  readonly items: readonly MenuItem[];
  /** Called once it has closed; returns the focus. */
  readonly onClosed: () => void;
}

/** Open while it is mounted. */
export function PointMenu({ label, at, items, onClosed }: PointMenuProps) {
  return (
    <Primitive.Root open modal={false} onOpenChange={(open) => !open && onClosed()}>
      <Primitive.Trigger asChild>
        <span aria-hidden className="pointer-events-none fixed size-0" style={{ left: at.x, top: at.y }} />
      </Primitive.Trigger>
      <Primitive.Portal>
        <Primitive.Content
          aria-label={label}
          align="start"
          sideOffset={2}
          collisionPadding={8}
          onCloseAutoFocus={(event) => event.preventDefault()}
          className={MENU_PANEL}
        >
          <MenuEntries items={items} />
        </Primitive.Content>
      </Primitive.Portal>
    </Primitive.Root>
  );
}
