// The shortcuts that work on every page.
import { useNavigation } from '../../ui/navigation.ts';
import { kindAddress, pageAddress, welcomeAddress } from '../../navigation/addresses.ts';
import { useScope } from '../../navigation/scope.ts';
import { useShortcut } from '../../shortcuts/use-shortcut.ts';

const EVERYWHERE = 'Everywhere';
const GO = 'Go to';

export interface GlobalShortcutOptions {
  readonly openPalette: (text: string) => void;
  readonly openSheet: () => void;
}

export function useGlobalShortcuts({ openPalette, openSheet }: GlobalShortcutOptions): void {
  const { go } = useNavigation();
  const { scope, home } = useScope();
  useShortcut({
    id: 'palette',
    keys: 'mod+k',
    label: 'Search or run a command',
    group: EVERYWHERE,
    quiet: true,
    run: () => openPalette(''),
  });
  useShortcut({
    id: 'palette.actions',
    keys: 'mod+shift+k',
    label: 'Run a command',
    group: EVERYWHERE,
    quiet: true,
    run: () => openPalette('>'),
  });
  useShortcut({ id: 'shortcuts', keys: '?', label: 'Keyboard shortcuts', group: EVERYWHERE, run: openSheet });
  useShortcut({ id: 'go.namespace', keys: 'g n', label: 'Switch namespace', group: GO, run: () => openPalette('@') });
  useShortcut({ id: 'go.kind', keys: 'g k', label: 'Go to a kind of resource', group: GO, run: () => openPalette('#') });
  useShortcut({ id: 'go.dashboard', keys: 'g d', label: 'Go to the dashboard', group: GO, run: () => go(pageAddress(scope, 'dashboard')) });
  useShortcut({ id: 'go.inbox', keys: 'g i', label: 'Go to the inbox', group: GO, run: () => go(pageAddress(scope, 'inbox')) });
  useShortcut({ id: 'go.tasks', keys: 'g t', label: 'Go to tasks', group: GO, run: () => go(pageAddress(scope, 'tasks')) });
  useShortcut({ id: 'go.systems', keys: 'g s', label: 'Go to agent systems', group: GO, run: () => go(kindAddress(scope, 'AgentSystem')) });
  useShortcut({ id: 'go.agents', keys: 'g a', label: 'Go to agents', group: GO, run: () => go(kindAddress(scope, 'Agent')) });
  useShortcut({ id: 'go.workers', keys: 'g w', label: 'Go to workers', group: GO, run: () => go(pageAddress(scope, 'workers')) });
  useShortcut({
    id: 'go.simulator',
    keys: 'g p',
    label: 'Go to the policy simulator',
    group: GO,
    run: () => go(pageAddress(scope, 'simulator')),
  });
  useShortcut({ id: 'go.events', keys: 'g e', label: 'Go to events', group: GO, run: () => go(pageAddress(scope, 'events')) });
  useShortcut({ id: 'go.settings', keys: 'g ,', label: 'Go to settings', group: GO, run: () => go(pageAddress(scope, 'settings')) });
  useShortcut({ id: 'go.import', keys: undefined, label: 'Import YAML', group: GO, run: () => go(pageAddress(home, 'import')) });
  useShortcut({ id: 'go.welcome', keys: undefined, label: 'First steps', group: GO, run: () => go(welcomeAddress()) });
}
