// Server that the window of the desktop app shows, and the way to another one.
import { useQuery } from '@tanstack/react-query';
import type { DesktopApi } from '@svc/shared/desktop-api';
import { Cloud, Laptop, Settings2 } from 'lucide-react';
import { pageAddress } from '../../navigation/addresses.ts';
import { useScope } from '../../navigation/scope.ts';
import { native } from '../../native/native.ts';
import { PROFILE_ID, PROFILES_KEY } from '../../native/profile.ts';
import { cn } from '../../ui/cn.ts';
import type { MenuItem } from '../../ui/overlay/menu-items.ts';
import { Menu } from '../../ui/overlay/Menu.tsx';
import { useNavigation } from '../../ui/link/navigation.ts';
import { toastError } from '../../ui/overlay/toast.ts';

export function ServerMenu() {
  return native.desktop ? <Servers desktop={native.desktop} /> : null;
}

const LOCAL = 'This machine';

function Servers({ desktop }: { readonly desktop: DesktopApi }) {
  const { data: profiles = [] } = useQuery({ queryKey: PROFILES_KEY, queryFn: () => desktop.profiles.list() });
  const { scope } = useScope();
  const { go } = useNavigation();
  const shown = profiles.find(({ id }) => id === PROFILE_ID);
  const name = PROFILE_ID === undefined ? LOCAL : (shown?.name ?? PROFILE_ID);
  const show = (id: string | null) => {
    desktop.profiles.select(id).catch((error: unknown) => toastError('The other server was not opened', error));
  };
  const item = (id: string | null, label: string): MenuItem => ({
    id: id ?? '/local',
    label,
    checked: id === (PROFILE_ID ?? null),
    onSelect: () => show(id),
  });
  const items: MenuItem[] = [
    item(null, LOCAL),
    ...profiles.map((profile) => item(profile.id, profile.name)),
    'separator',
    { id: '/manage', label: 'Manage servers…', icon: <Settings2 />, onSelect: () => go(`${pageAddress(scope, 'settings')}?tab=desktop`) },
  ];
  const Icon = PROFILE_ID === undefined ? Laptop : Cloud;
  return (
    <Menu
      align="start"
      items={items}
      trigger={
        <button
          type="button"
          aria-label={`Server: ${name}`}
          className={cn(
            'flex h-control min-w-0 items-center gap-1.5 rounded-md px-2 text-sm hover:bg-hover',
            PROFILE_ID === undefined ? 'text-muted hover:text-text' : 'bg-accent-soft font-medium text-accent-text',
          )}
        >
          <Icon aria-hidden className="size-4 shrink-0" />
          <span className="max-w-32 truncate max-lg:sr-only">{name}</span>
        </button>
      }
    />
  );
}
