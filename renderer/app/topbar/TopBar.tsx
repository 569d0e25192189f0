// The bar over every page: place, search, pending approvals, appearance, identity.
import { Bell, ChevronsUpDown, Layers, Menu as MenuIcon, Search } from 'lucide-react';
import { cn } from '../../ui/cn.ts';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { Link } from '../../ui/link/Link.tsx';
import { Tooltip } from '../../ui/overlay/Tooltip.tsx';
import { ALL_NAMESPACES, pageAddress } from '../../navigation/addresses.ts';
import { countText, type NavCount } from '../nav/use-nav-counts.ts';
import { useScope } from '../../navigation/scope.ts';
import { ShortcutKeys, useShortcutKeysOf } from '../../shortcuts/ShortcutKeys.tsx';
import { ConnectionStatus } from './ConnectionStatus.tsx';
import { DisplayMenu } from './DisplayMenu.tsx';
import { IdentityMenu } from './IdentityMenu.tsx';
import { ServerMenu } from './ServerMenu.tsx';
import { TerminalButton } from './TerminalButton.tsx';

export interface TopBarProps {
  readonly waiting: NavCount | undefined;
  /** Opens the palette with this text in it. */
  readonly onPalette: (text: string) => void;
  readonly onShortcuts: () => void;
  readonly onNavigation: () => void;
}

export function TopBar({ waiting, onPalette, onShortcuts, onNavigation }: TopBarProps) {
  const { scope } = useScope();
  const namespaceKeys = useShortcutKeysOf('go.namespace', 'g n');
  return (
    <header className="@container/bar flex h-12 shrink-0 items-center gap-1.5 border-b border-border bg-bg px-3 max-sm:gap-0.5 max-sm:px-1.5 print:hidden">
      <span className="md:hidden">
        <IconButton label="Navigation" icon={<MenuIcon />} onClick={onNavigation} />
      </span>
      <ServerMenu />
      <Tooltip text="Switch namespace" {...(namespaceKeys !== undefined && { keys: namespaceKeys })}>
        <button
          type="button"
          aria-label={`Namespace: ${scope === ALL_NAMESPACES ? 'All namespaces' : scope}`}
          aria-haspopup="dialog"
          onClick={() => onPalette('@')}
          className="flex h-control min-w-0 items-center gap-1.5 rounded-md px-2 font-medium text-text hover:bg-hover"
        >
          <Layers aria-hidden className="size-4 shrink-0 text-faint" />
          <span className="max-w-40 truncate">{scope === ALL_NAMESPACES ? 'All namespaces' : scope}</span>
          <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-faint" />
        </button>
      </Tooltip>
      <div className="flex min-w-0 flex-1 justify-center px-2 @max-lg/bar:min-w-8 @max-lg/bar:justify-end @max-lg/bar:px-0">
        <button
          type="button"
          aria-haspopup="dialog"
          onClick={() => onPalette('')}
          className="flex h-control w-full max-w-md items-center gap-2 rounded-md border border-border bg-surface px-2.5 text-base text-faint shadow-raised transition-colors hover:border-border-strong @max-lg/bar:w-8 @max-lg/bar:justify-center @max-lg/bar:border-transparent @max-lg/bar:bg-transparent @max-lg/bar:px-0 @max-lg/bar:shadow-none"
        >
          <Search aria-hidden className="size-4 shrink-0" />
          <span className="flex-1 truncate text-left @max-lg/bar:sr-only">Search or run a command</span>
          <ShortcutKeys id="palette" keys="mod+k" className="@max-lg/bar:hidden" />
        </button>
      </div>
      <ConnectionStatus />
      <TerminalButton />
      <InboxBell waiting={waiting} scope={scope} />
      <DisplayMenu />
      <IdentityMenu onShortcuts={onShortcuts} />
    </header>
  );
}

function InboxBell({ waiting, scope }: { readonly waiting: NavCount | undefined; readonly scope: string }) {
  const some = waiting !== undefined && waiting.count > 0;
  const keys = useShortcutKeysOf('go.inbox', 'g i');
  const label = waiting === undefined ? 'Inbox' : some ? `Inbox: ${countText(waiting)} waiting` : 'Inbox: empty';
  return (
    <Tooltip text={label} {...(keys !== undefined && { keys })}>
      <Link
        href={pageAddress(scope, 'inbox')}
        look="bare"
        aria-label={label}
        className="relative flex size-control shrink-0 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-text"
      >
        <Bell aria-hidden className="size-4" />
        {some && (
          <span
            aria-hidden
            className={cn(
              'absolute -top-0.5 -right-0.5 flex h-4 min-w-4 items-center justify-center rounded-full bg-accent px-1 text-[10px] leading-none font-bold text-on-accent tabular-nums ring-2 ring-bg',
            )}
          >
            {waiting.count > 99 ? '99+' : waiting.count}
          </span>
        )}
      </Link>
    </Tooltip>
  );
}
