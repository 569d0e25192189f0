// Menu of the signed-in identity: name, role and sign-out.
import { BookOpen, CircleHelp, Keyboard, LogOut, Settings, Sparkles, UserRound } from 'lucide-react';
import { withBase } from '../../ui/link/base-path.ts';
import type { MenuItem } from '../../ui/overlay/menu-items.ts';
import { Menu } from '../../ui/overlay/Menu.tsx';
import { useNavigation } from '../../ui/link/navigation.ts';
import { toastError } from '../../ui/overlay/toast.ts';
import { Tooltip } from '../../ui/overlay/Tooltip.tsx';
import { pageAddress, welcomeAddress } from '../../navigation/addresses.ts';
import { useScope } from '../../navigation/scope.ts';
import { useShortcutKeysOf } from '../../shortcuts/ShortcutKeys.tsx';
import { signOut } from '../../sign-in/sign-in.ts';
import { useHello } from '../../sign-in/use-hello.ts';

export function IdentityMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const hello = useHello();
  const { scope } = useScope();
  const { go } = useNavigation();
  const settingsKeys = useShortcutKeysOf('go.settings', 'g ,');
  const sheetKeys = useShortcutKeysOf('shortcuts', '?');
  const name = hello?.identity.name ?? '';
  const signedIn = hello?.identity.method === 'session';
  const leave = () => void signOut().catch((error: unknown) => toastError('Signing out failed', error));
  const account: MenuItem = {
    id: 'account',
    label: 'Account',
    icon: <UserRound />,
    onSelect: () => go(pageAddress(scope, 'account')),
  };
  const items: MenuItem[] = [
    ...(signedIn ? [account] : []),
    {
      id: 'settings',
      label: 'Settings',
      icon: <Settings />,
      ...(settingsKeys !== undefined && { shortcut: settingsKeys }),
      onSelect: () => go(pageAddress(scope, 'settings')),
    },
    {
      id: 'shortcuts',
      label: 'Keyboard shortcuts',
      icon: <Keyboard />,
      ...(sheetKeys !== undefined && { shortcut: sheetKeys }),
      onSelect: onShortcuts,
    },
    { id: 'tour', label: 'First steps', icon: <Sparkles />, onSelect: () => go(welcomeAddress()) },
    { id: 'help', label: 'Help', icon: <CircleHelp />, onSelect: () => go(pageAddress(scope, 'help')) },
    { id: 'api', label: 'API reference', icon: <BookOpen />, onSelect: () => void window.open(withBase('/docs'), '_blank', 'noopener') },
    ...(signedIn ? (['separator', { id: 'sign-out', label: 'Sign out', icon: <LogOut />, onSelect: leave }] as const) : []),
  ];
  return (
    <Menu
      align="end"
      header={
        <div className="border-b border-border px-2 pt-1 pb-2 mb-1">
          <p className="truncate font-medium">{hello?.authEnabled === false ? 'Everybody' : name}</p>
          <p className="text-sm text-muted">
            {hello?.authEnabled === false ? 'Sign-in is off' : `Role ${hello?.identity.role ?? 'unknown'}`}
          </p>
        </div>
      }
      items={items}
      trigger={
        <button
          type="button"
          aria-label={`Account: ${name}`}
          className="flex size-control items-center justify-center rounded-md hover:bg-hover"
        >
          <Tooltip text="Account">
            <span
              aria-hidden
              className="flex size-6 items-center justify-center rounded-full bg-accent-soft text-xs font-semibold text-accent-text uppercase"
            >
              {name.slice(0, 1) || '?'}
            </span>
          </Tooltip>
        </button>
      }
    />
  );
}
