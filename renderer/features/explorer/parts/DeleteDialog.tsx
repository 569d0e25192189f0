// Asks before objects are deleted, and lists their remaining referrers.
import type { Resource, ResourceKey } from '@svc/shared/resource';
import { useQueries } from '@tanstack/react-query';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { api } from '../../../live/api.ts';
import { ConfirmDialog } from '../../../ui/overlay/ConfirmDialog.tsx';
import { Spinner } from '../../../ui/feedback/Spinner.tsx';
import { doneKeys, useBatch } from '../../../ui/table/use-batch.ts';
import { isCrdManaged, keyText, refOf } from '../object-traits.ts';
import { ObjectBatchDialog } from '../ObjectBatchDialog.tsx';
import { kindNamed } from '../../../kinds/kind-table.ts';
import { countOf, countsByKind, kindWord } from '../object-text.ts';
import { removeObject } from '../writes.ts';

export interface DeleteDialogProps {
  readonly kind: string;
  readonly resources: readonly Resource[];
  readonly onClose: () => void;
  /** Receives the keys of the deleted objects when the results are closed. */
  readonly onEnded?: (deleted: ReadonlySet<string>) => void;
  /** Called after the only object was deleted. Without it the result stays on screen. */
  readonly onDeleted?: (() => void) | undefined;
}

/** Number of objects whose referrers are looked up; for more the dialog states that they were not. */
const LOOKED_UP_MAX = 50;
const REFERRERS_ASKED = 200;

/** Referrers outside of the selection. */
function useConsequence(kind: string, resources: readonly Resource[]) {
  const answers = useQueries({
    queries: resources
      .slice(0, LOOKED_UP_MAX)
      .map((each) => api.resources.referrers.queryOptions({ ...refOf(each), limit: REFERRERS_ASKED })),
  });
  const going = new Set(resources.map((each) => `${kind} ${keyText(each)}`));
  const referrers = new Map<string, ResourceKey>();
  for (const { data } of answers) {
    for (const item of data?.items ?? []) {
      const id = `${item.kind} ${item.namespace}/${item.name}`;
      if (!going.has(id)) referrers.set(id, item);
    }
  }
  return {
    pending: answers.some(({ isPending }) => isPending),
    unknown: answers.some(({ isError, data }) => isError || data?.incomplete === true) || resources.length > LOOKED_UP_MAX,
    more: answers.some(({ data }) => data?.continue !== undefined),
    referrers: [...referrers.values()],
  };
}

const NAMES_MAX = 6;

interface DependentsProps {
  readonly referrers: readonly ResourceKey[];
  readonly more: boolean;
  /** Namespace of the deleted objects, which is not shown. */
  readonly home: string | undefined;
  readonly them: 'it' | 'them';
}

/** Objects of a kind that ends: runs, sessions. A run has copies of the definitions that it began with. */
const ends = ({ kind }: ResourceKey): boolean => (kindNamed(kind)?.terminalPhases.length ?? 0) > 0;

/** Objects that need the deleted ones, by kind and name. */
function Dependents({ referrers, more, home, them }: DependentsProps) {
  const needing = referrers.filter((each) => !ends(each));
  const ending = referrers.filter(ends);
  const kinds = [...new Set(needing.map(({ kind }) => kind))];
  return (
    <>
      {needing.length > 0 && (
        <div className="rounded-md bg-danger-soft p-3 text-text">
          <p>
            Used by {more && 'more than '}
            {countsByKind(needing)}, which will not work without {them}.
          </p>
          {kinds.map((kind) => {
            const names = needing
              .filter((each) => each.kind === kind)
              .map(({ namespace, name }) => (namespace === home ? name : `${namespace}/${name}`));
            return (
              <p key={kind} className="mt-1 text-sm [overflow-wrap:anywhere] text-muted">
                {kinds.length > 1 && `${kindWord(kind, names.length)}: `}
                {names.slice(0, NAMES_MAX).join(', ')}
                {names.length > NAMES_MAX && ` and ${names.length - NAMES_MAX} more`}
              </p>
            );
          })}
        </div>
      )}
      {ending.length > 0 && (
        <p className="text-muted">
          Named by {more && 'at least '}
          {countsByKind(ending)}. Runs that have begun go on; later ones fail.
        </p>
      )}
    </>
  );
}

export function DeleteDialog({ kind, resources, onClose, onEnded, onDeleted }: DeleteDialogProps) {
  const write = useCanWrite();
  const batch = useBatch(keyText);
  const { pending, unknown, more, referrers } = useConsequence(kind, resources);
  const one = resources.length === 1 ? resources[0] : undefined;
  const what = one ? one.metadata.name : countOf(kind, resources.length);
  const { progress } = batch;
  if (progress) {
    const close = () => {
      onEnded?.(doneKeys(progress));
      onClose();
    };
    return <ObjectBatchDialog title={`Deleting ${what}`} resources={resources} batch={batch} progress={progress} onClose={close} />;
  }
  const confirm = () =>
    batch.start(resources, async (each) => {
      const removed = await removeObject(each);
      if (one) (onDeleted ?? onClose)();
      return removed;
    });
  const them = one ? 'it' : 'them';
  const home = resources[0]?.metadata.namespace;
  return (
    <ConfirmDialog
      open
      onClose={onClose}
      onConfirm={confirm}
      title={`Delete ${what}?`}
      consequence="This cannot be undone: the specification and the status are deleted. Past events stay."
      confirmLabel={one ? 'Delete' : `Delete ${countOf(kind, resources.length)}`}
      typed={one ? undefined : `delete ${resources.length}`}
      disabledReason={write.reason}
    >
      <div className="flex flex-col gap-2 text-base" role="status">
        {pending && (
          <p className="flex items-center gap-2 text-muted">
            <Spinner /> Looking for objects that use {them}
          </p>
        )}
        {!pending && <Dependents referrers={referrers} more={more} home={home} them={them} />}
        {!pending && referrers.length === 0 && !unknown && <p className="text-muted">Not used by other objects.</p>}
        {!pending && unknown && <p className="text-muted">Some objects that may use {them} could not be checked.</p>}
        {resources.some(isCrdManaged) && (
          <p className="text-muted">A custom resource of a cluster manages {one ? 'it' : 'some of them'} and may create it again.</p>
        )}
      </div>
    </ConfirmDialog>
  );
}
