// The shortcuts that work on every page.
import { useNavigation } from '../../ui/link/navigation.ts';
import { pageAddress, welcomeAddress } from '../../navigation/addresses.ts';
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
  const { home } = useScope();
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
  useShortcut({ id: 'go.bundle', keys: undefined, label: 'Import a bundle', group: GO, run: () => go(pageAddress(home, 'bundle')) });
  useShortcut({
    ...{ id: 'go.import', keys: undefined, label: 'Import YAML', words: 'apply file', group: GO },
    run: () => go(pageAddress(home, 'import')),
  });
  useShortcut({
    ...{ id: 'go.help', keys: undefined, label: 'Help', words: 'guides docs documentation', group: GO },
    run: () => go(pageAddress(home, 'help')),
  });
  useShortcut({ id: 'go.welcome', keys: undefined, label: 'First steps', group: GO, run: () => go(welcomeAddress()) });
}
