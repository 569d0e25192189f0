// Terminals below the page: one tab each, a height that can be dragged. Hidden terminals stay connected.
import { ChevronDown, Plus, SquareTerminal, X } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { client } from '../../live/api.ts';
import { useScope } from '../../navigation/scope.ts';
import { cn } from '../../ui/cn.ts';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { Separator } from '../../ui/layout/Separator.tsx';
import { toastError } from '../../ui/overlay/toast.ts';
import { useResizable } from '../../ui/layout/use-resizable.ts';
import { DOCK_KEYS, openTerminal, removeTab, selectTab, toggleDock, useDock, type DockTab } from './model/dock.ts';
import { TerminalPane } from './TerminalPane.tsx';

function closeTab({ key, id }: DockTab): void {
  removeTab(key);
  if (id === undefined) return;
  client.terminals.close.mutate({ id }).catch((error: unknown) => {
    // One that ended before needs no close.
    if ((error as { data?: { httpStatus?: number } }).data?.httpStatus !== 404) toastError('The terminal could not be closed', error);
  });
}

/** A low window leaves most of its height to the page. */
const initialHeight = () => Math.min(280, 0.4 * window.innerHeight);

export function TerminalDock() {
  const { open, active, tabs } = useDock();
  const { home } = useScope();
  const { size, separator } = useResizable({
    initial: initialHeight(),
    min: 120,
    max: 900,
    axis: 'y',
    direction: -1,
    storageKey: 'terminal-dock',
  });
  const current = tabs.find(({ key }) => key === active);
  return (
    <section aria-label="Terminals" hidden={!open} className={cn(open && 'flex max-h-[70dvh] shrink-0 flex-col')} style={{ height: size }}>
      <Separator label="Height of the terminals" {...separator} />
      <Tabs.Root value={active ?? ''} onValueChange={selectTab} activationMode="manual" className="flex min-h-0 flex-1 flex-col bg-surface">
        <div className="flex h-9 shrink-0 items-center gap-1 border-b border-border pr-2 pl-2">
          <Tabs.List aria-label="Open terminals" className="flex min-w-0 flex-1 items-center gap-1 overflow-x-auto">
            {tabs.map((tab) => (
              <Tabs.Trigger
                key={tab.key}
                value={tab.key}
                className="flex h-7 items-center gap-1.5 rounded-md px-2 text-sm font-medium whitespace-nowrap text-muted -outline-offset-2 hover:bg-hover hover:text-text data-[state=active]:bg-selected data-[state=active]:text-text"
              >
                <SquareTerminal aria-hidden className="size-3.5" />
                {tab.number} · {tab.namespace}
              </Tabs.Trigger>
            ))}
          </Tabs.List>
          <IconButton size="sm" label="New terminal" icon={<Plus />} onClick={() => openTerminal({ namespace: home })} />
          {current && <IconButton size="sm" label="Close this terminal" icon={<X />} onClick={() => closeTab(current)} />}
          <IconButton size="sm" label="Hide terminals" shortcut={DOCK_KEYS} icon={<ChevronDown />} onClick={() => toggleDock(home)} />
        </div>
        {tabs.map((tab) => (
          <Tabs.Content
            key={tab.key}
            value={tab.key}
            forceMount
            tabIndex={-1}
            className="min-h-0 flex-1 data-[state=active]:flex data-[state=inactive]:hidden"
          >
            <TerminalPane tab={tab} shown={open && tab.key === active} />
          </Tabs.Content>
        ))}
      </Tabs.Root>
    </section>
  );
}
