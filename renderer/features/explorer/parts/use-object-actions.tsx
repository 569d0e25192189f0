// Actions for objects of a kind, one or several, from a list or a page: the entries of menus, and the dialogs they open.
import type { Resource } from '@svc/shared/resource';
import { useQueryClient } from '@tanstack/react-query';
import { Copy, Download, Pause, Pencil, Play, SquareTerminal, Tag, TextCursorInput, Trash2 } from 'lucide-react';
import { Suspense, useCallback, useMemo, useState, type ReactNode } from 'react';
import { createAddress, objectAddress } from '../../../navigation/addresses.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import type { KindSummary } from '../../../kinds/kind-summary.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { download } from '../../../ui/text/large-text.ts';
import type { MenuItem } from '../../../ui/overlay/menu-items.ts';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { openTerminal } from '../../terminal/model/dock.ts';
import { useTerminalsOffered } from '../../terminal/model/use-terminals-offered.ts';
import { DeleteDialog } from './DeleteDialog.tsx';
import { LabelsDialog } from '../LabelsDialog.tsx';
import { toYaml } from '../object-yaml.ts';
import { canSuspend, isCreatedByService, isEditable, isSuspended, refOf } from '../object-traits.ts';
import { SuspendDialog } from '../SuspendDialog.tsx';
import { countOf } from '../object-text.ts';
import { setSuspended } from '../writes.ts';

/** Brings the YAML library and the layout of graphs, which no list needs. */
const RenameDialog = lazyPart(async () => (await import('./RenameDialog.tsx')).RenameDialog);

type Doing = 'labels' | 'delete' | 'suspend' | 'resume' | 'rename';

interface OpenDialog {
  readonly doing: Doing;
  readonly resources: readonly Resource[];
}

export interface ObjectActions {
  /** Opens the dialog of an action, or executes it where none is needed. */
  readonly ask: (doing: Doing, resources: readonly Resource[]) => void;
  readonly exportYaml: (resources: readonly Resource[]) => Promise<void>;
  readonly menuOf: (resource: Resource) => readonly MenuItem[];
  /** Rendered once on the page. */
  readonly dialogs: ReactNode;
}

export interface ObjectActionsOptions {
  readonly kind: KindSummary;
  readonly scope: string;
  /** After the deletion of one object. */
  readonly onDeleted?: () => void;
  /** After one object got another name. */
  readonly onRenamed?: (name: string) => void;
}

/** Hands the objects to the browser as one file. */
export async function exportObjects(kind: KindSummary, resources: readonly Resource[]): Promise<void> {
  const [first] = resources;
  const name = resources.length === 1 && first ? `${first.kind}-${first.metadata.name}` : kind.plural;
  download(`${name}.yaml`, await toYaml(resources), 'application/yaml');
  announce(`${countOf(kind.kind, resources.length)} exported`);
}

function useResume() {
  const queryClient = useQueryClient();
  return useCallback(
    async (resource: Resource) => {
      const { name } = resource.metadata;
      try {
        await setSuspended(queryClient, resource, { suspend: false });
        toastDone(`${name} is resumed`);
      } catch (error) {
        toastError(`${name} could not be resumed`, error);
      }
    },
    [queryClient],
  );
}

export function useObjectActions({ kind, scope, onDeleted, onRenamed }: ObjectActionsOptions): ObjectActions {
  const [opened, setOpened] = useState<OpenDialog>();
  const resumeOne = useResume();
  const { go } = useNavigation();
  const { reason } = useCanWrite();
  const terminals = useTerminalsOffered();
  const exportYaml = useCallback((resources: readonly Resource[]) => exportObjects(kind, resources), [kind]);
  const ask = useCallback(
    (doing: Doing, resources: readonly Resource[]) => {
      const [only] = resources;
      if (doing === 'resume' && resources.length === 1 && only) void resumeOne(only);
      else setOpened({ doing, resources });
    },
    [resumeOne],
  );
  const menuOf = useMemo(
    () => menuMaker({ kind, scope, ask, exportYaml, go, reason, terminals }),
    [kind, scope, ask, exportYaml, go, reason, terminals],
  );
  const close = () => setOpened(undefined);
  const shared = opened && { kind: kind.kind, resources: opened.resources, onClose: close };
  const [only] = opened?.resources ?? [];
  const renamed = (name: string) => {
    close();
    onRenamed?.(name);
  };
  const dialogs = shared && (
    <>
      {opened.doing === 'rename' && only && (
        <Suspense>
          <RenameDialog object={refOf(only)} onClose={close} onRenamed={renamed} />
        </Suspense>
      )}
      {opened.doing === 'labels' && <LabelsDialog {...shared} />}
      {opened.doing === 'delete' && <DeleteDialog {...shared} onDeleted={onDeleted} />}
      {(opened.doing === 'suspend' || opened.doing === 'resume') && <SuspendDialog {...shared} suspend={opened.doing === 'suspend'} />}
    </>
  );
  return { ask, exportYaml, menuOf, dialogs };
}

/** Names hold no character that a shell reads. */
function openInTerminal({ plural }: KindSummary, { metadata: { namespace, name } }: Resource): void {
  openTerminal({ namespace, command: `svcctl get ${plural} ${name} -o yaml` });
}

interface MenuParts {
  readonly kind: KindSummary;
  readonly scope: string;
  readonly ask: ObjectActions['ask'];
  readonly exportYaml: ObjectActions['exportYaml'];
  readonly go: (href: string) => void;
  /** Reason why nothing can be written now. */
  readonly reason: string | undefined;
  /** The server offers terminals to this person. */
  readonly terminals: boolean;
}

function menuMaker({ kind, scope, ask, exportYaml, go, reason, terminals }: MenuParts) {
  const write = reason === undefined ? {} : { disabledReason: reason };
  const edit = (resource: Resource) => go(objectAddress(refOf(resource), scope, { tab: 'yaml' }));
  return (resource: Resource): readonly MenuItem[] => {
    const only = [resource];
    const suspended = isSuspended(resource);
    const copy = createAddress(resource.metadata.namespace, kind.kind, {
      from: `${resource.metadata.namespace}/${resource.metadata.name}`,
    });
    return [
      ...(isEditable(kind.kind) ? [{ id: 'edit', label: 'Edit as YAML', icon: <Pencil />, onSelect: () => edit(resource) }] : []),
      ...(canSuspend(kind)
        ? [
            {
              id: 'suspend',
              label: suspended ? 'Resume' : 'Suspend…',
              icon: suspended ? <Play /> : <Pause />,
              ...write,
              onSelect: () => ask(suspended ? 'resume' : 'suspend', only),
            },
          ]
        : []),
      ...(kind.renamable
        ? [{ id: 'rename', label: 'Rename…', icon: <TextCursorInput />, ...write, onSelect: () => ask('rename', only) }]
        : []),
      { id: 'labels', label: 'Edit labels…', icon: <Tag />, ...write, onSelect: () => ask('labels', only) },
      ...(isCreatedByService(kind.kind) ? [] : [{ id: 'copy', label: 'Duplicate…', icon: <Copy />, ...write, onSelect: () => go(copy) }]),
      { id: 'export', label: 'Export YAML', icon: <Download />, onSelect: () => void exportYaml(only) },
      ...(terminals
        ? [{ id: 'terminal', label: 'Open in terminal', icon: <SquareTerminal />, onSelect: () => openInTerminal(kind, resource) }]
        : []),
      'separator',
      { id: 'delete', label: 'Delete…', icon: <Trash2 />, danger: true, ...write, onSelect: () => ask('delete', only) },
    ];
  };
}
