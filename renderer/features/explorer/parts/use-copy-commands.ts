// Palette actions that copy the reading of the page's object as a terminal command.
import type { ResourceKey } from '@svc/shared/resource';
import { kindNamed } from '../../../kinds/kind-table.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { serverAddress } from '../../../ui/link/base-path.ts';
import { copyText } from '../../../ui/button/copy-text.ts';
import { toastDone, toastInfo } from '../../../ui/overlay/toast.ts';
import { curlGet, svcctlGet } from '../object/object-commands.ts';

async function copyCommand(text: string): Promise<void> {
  if (await copyText(text)) toastDone('The command was copied');
  else toastInfo('The browser allows no copying here');
}

export function useCopyCommands({ kind, namespace, name }: ResourceKey): void {
  const read = { plural: kindNamed(kind)?.plural ?? '', namespace, name };
  useShortcut({ id: 'object.svcctl', label: `Copy ${name} as svcctl`, run: () => void copyCommand(svcctlGet(read)) });
  useShortcut({ id: 'object.curl', label: `Copy ${name} as curl`, run: () => void copyCommand(curlGet(read, serverAddress())) });
}
