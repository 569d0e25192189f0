// Tabs of a page. The caller keeps the open one, in the address.
import { Tabs as Primitive } from 'radix-ui';
import { Activity, useRef, type ReactNode } from 'react';
import { cn } from '../cn.ts';
import { useTabInView } from './use-tab-in-view.ts';

export interface TabItem<Value extends string = string> {
  readonly value: Value;
  readonly label: ReactNode;
  /** A number beside the label. */
  readonly count?: number | undefined;
  readonly content: ReactNode;
  /** Keeps unsaved input of the tab for a return to it. */
  readonly kept?: boolean;
}

export interface TabsProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly tabs: readonly TabItem<Value>[];
  readonly onChange: (value: Value) => void;
  readonly className?: string;
  readonly panelClassName?: string;
}

/** After its first display the content stays mounted, without effects while hidden. */
function Kept({ shown, children }: { readonly shown: boolean; readonly children: ReactNode }) {
  const seen = useRef(shown);
  if (shown) seen.current = true;
  return seen.current ? <Activity mode={shown ? 'visible' : 'hidden'}>{children}</Activity> : null;
}

export function Tabs<Value extends string>({ label, value, tabs, onChange, className, panelClassName }: TabsProps<Value>) {
  const row = useTabInView<HTMLDivElement>({ selector: '[data-state=active]', value, of: tabs.length });
  return (
    <Primitive.Root
      value={value}
      onValueChange={(next) => onChange(next as Value)}
      activationMode="manual"
      className={cn('flex min-h-0 min-w-0 flex-1 flex-col', className)}
    >
      <div className="flex items-center gap-2 border-b border-border px-6 max-sm:px-4">
        <Primitive.List
          ref={row}
          aria-label={label}
          className="-mx-1.5 -mb-px flex min-w-0 flex-1 gap-1 overflow-x-auto [scrollbar-width:none]"
        >
          {tabs.map((tab) => (
            <Primitive.Trigger
              key={tab.value}
              value={tab.value}
              className="flex h-9 items-center gap-1.5 border-b-2 border-transparent px-1.5 text-base font-medium whitespace-nowrap text-muted -outline-offset-2 transition-colors hover:text-text data-[state=active]:border-accent data-[state=active]:text-text forced-colors:not-data-[state=active]:border-b-0 forced-colors:data-[state=active]:border-[Highlight]"
            >
              {tab.label}
              {tab.count !== undefined && (
                <span className="rounded-full bg-neutral-soft px-1.5 text-xs text-neutral tabular-nums">{tab.count}</span>
              )}
            </Primitive.Trigger>
          ))}
        </Primitive.List>
      </div>
      {tabs.map((tab) => (
        <Primitive.Content
          key={tab.value}
          value={tab.value}
          {...(tab.kept === true && { forceMount: true, hidden: tab.value !== value })}
          className={cn(
            'min-h-0 flex-1 overflow-auto -outline-offset-2 data-[state=active]:flex data-[state=active]:flex-col',
            panelClassName,
          )}
        >
          {tab.kept === true ? <Kept shown={tab.value === value}>{tab.content}</Kept> : tab.content}
        </Primitive.Content>
      ))}
    </Primitive.Root>
  );
}
