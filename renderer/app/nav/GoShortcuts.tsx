// A shortcut and a palette action for each entry of the navigation and each page behind it.
import { useShortcut } from '../../shortcuts/use-shortcut.ts';
import { useNavigation } from '../../ui/link/navigation.ts';
import type { NavEntry, NavGroup } from './nav-model.ts';

export function GoShortcuts({ groups }: { readonly groups: readonly NavGroup[] }) {
  return groups
    .flatMap(({ entries }) => entries)
    .flatMap((entry) => [
      <GoShortcut key={entry.id} id={entry.id} target={entry} keys={entry.key === undefined ? undefined : `g ${entry.key}`} />,
      ...(entry.tabs.length < 2
        ? []
        : entry.tabs.filter(({ kind }) => kind === undefined).map((tab) => <GoShortcut key={tab.section} id={tab.section} target={tab} />)),
    ]);
}

interface GoShortcutProps {
  readonly id: string;
  readonly target: Pick<NavEntry, 'label' | 'href'>;
  readonly keys?: string | undefined;
}

function GoShortcut({ id, target, keys }: GoShortcutProps) {
  const { go } = useNavigation();
  useShortcut({ id: `go.${id}`, keys, label: `Go to ${target.label}`, group: 'Go to', run: () => go(target.href) });
  return null;
}
