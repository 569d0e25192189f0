// Shows and hides the terminals, where the server offers them.
import { SquareTerminal } from 'lucide-react';
import { DOCK_KEYS, toggleDock, useDock } from '../../features/terminal/model/dock.ts';
import { useTerminalsOffered } from '../../features/terminal/model/use-terminals-offered.ts';
import { useScope } from '../../navigation/scope.ts';
import { useShortcutKeysOf } from '../../shortcuts/ShortcutKeys.tsx';
import { useShortcut } from '../../shortcuts/use-shortcut.ts';
import { IconButton } from '../../ui/button/IconButton.tsx';

export function TerminalButton() {
  const offered = useTerminalsOffered();
  const { open } = useDock();
  const { home } = useScope();
  const keys = useShortcutKeysOf('terminal', DOCK_KEYS);
  const toggle = () => toggleDock(home);
  useShortcut({ id: 'terminal', keys: DOCK_KEYS, label: 'Show or hide terminals', group: 'Everywhere', when: offered, run: toggle });
  if (!offered) return null;
  return <IconButton label="Terminals" aria-pressed={open} shortcut={keys} icon={<SquareTerminal />} onClick={toggle} />;
}
