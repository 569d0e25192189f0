// Renames an object with every reference to it, after a look at what changes.
import { APPLY_DOCUMENTS_MAX } from '@svc/shared/api/batch';
import { nameProblem, type ResourceKey } from '@svc/shared/resource';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { DiffView } from '../../../editor/DiffView.tsx';
import { objectAddress } from '../../../navigation/addresses.ts';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { QueryState } from '../../../ui/feedback/QueryState.tsx';
import { shownError } from '../../../ui/feedback/shown-error.ts';
import { Field } from '../../../ui/input/Field.tsx';
import { Form } from '../../../ui/input/Form.tsx';
import { FormButtons } from '../../../ui/input/FormButtons.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { useNavigation } from '../../../ui/link/navigation.ts';
import { Dialog } from '../../../ui/overlay/Dialog.tsx';
import { toastDone, toastError } from '../../../ui/overlay/toast.ts';
import { objectYaml, toYaml } from '../../../yaml/serialise.ts';
import { isCrdManaged } from '../object-traits.ts';
import { aKind, countsByKind, kindWord, listed } from '../object-text.ts';
import { readRenamable, writeRename } from '../model/rename-object.ts';
import { keyOf, type PlannedDocument, type RenamePlan } from '../model/rename-plan.ts';

export interface RenameDialogProps {
  readonly object: ResourceKey;
  readonly onClose: () => void;
  /** The object has its new name. */
  readonly onRenamed: (name: string) => void;
}

/** Renames back what this dialog renamed, with what refers to it now. */
function useRenameBack() {
  const { go } = useNavigation();
  return async (object: ResourceKey, to: string) => {
    try {
      const changed = await writeRename(await readRenamable({ ...object, name: to }), object.name);
      if (changed) throw new Error('Others changed one of the objects meanwhile. Rename it again.');
      toastDone(`Undone: ${to} is ${object.name} again`, { label: 'Show', onSelect: () => go(objectAddress(object)) });
    } catch (error) {
      toastError(`${to} was not renamed back`, error);
    }
  };
}

const TAKEN = 'documents[0]';

function problemOfName(written: string, { object, plan, error }: { object: ResourceKey; plan?: RenamePlan | undefined; error: unknown }) {
  if (written === '' || written === object.name) return undefined;
  const invalid = nameProblem(written);
  if (invalid !== undefined) return invalid;
  if (plan && plan.taken.length > 0) return `${listed(plan.taken.map(({ name }) => name))} already has a part of this name`;
  const taken = error !== null && shownError(error).details?.some(({ path }) => path === TAKEN) === true;
  return taken ? `There is already ${aKind(object.kind)} ${written} in namespace ${object.namespace}` : undefined;
}

export function RenameDialog({ object, onClose, onRenamed }: RenameDialogProps) {
  const { name } = object;
  const queryKey = ['rename', object.kind, object.namespace, name];
  const queryClient = useQueryClient();
  const query = useQuery({ queryKey, queryFn: ({ signal }) => readRenamable(object, signal), gcTime: 0, staleTime: 0, retry: false });
  const [to, setTo] = useState(name);
  const [changed, setChanged] = useState(false);
  const { reason } = useCanWrite();
  const renameBack = useRenameBack();
  const written = to.trim();
  const plan = query.data?.planFor(written);
  const rename = useMutation({
    mutationFn: async () => (query.data ? writeRename(query.data, written) : undefined),
    onSuccess: (newer) => {
      setChanged(newer !== undefined);
      if (newer) return void queryClient.setQueryData(queryKey, newer);
      const others = plan?.referrers.map(({ base }) => keyOf(base)) ?? [];
      toastDone(`${name} is now ${written}${others.length > 0 ? `, in ${countsByKind(others)} as well` : ''}`, {
        label: 'Undo',
        onSelect: () => void renameBack(object, written),
      });
      onRenamed(written);
    },
  });
  const tooMany = plan !== undefined && plan.referrers.length >= APPLY_DOCUMENTS_MAX;
  const problem = problemOfName(written, { object, plan, error: rename.error });
  return (
    <Dialog open onClose={onClose} closable={!rename.isPending} size="lg" title={`Rename ${name}`}>
      <Form onSubmit={() => rename.mutate()} className="flex flex-col gap-4">
        <Field label="Name" required error={problem}>
          <Input
            mono
            value={to}
            onFocus={(event) => event.target.select()}
            onChange={(event) => {
              setTo(event.target.value);
              rename.reset();
            }}
          />
        </Field>
        <QueryState query={query} title={`Objects that use ${name} could not be read`} skeleton="h-24 w-full" />
        {plan && <Changes plan={plan} name={name} unread={query.data?.unread === true} />}
        {tooMany && (
          <Banner tone="warn">
            This would change {plan.referrers.length + 1} objects, and one step changes at most {APPLY_DOCUMENTS_MAX}. Delete Sessions that
            are no longer needed, or remove {name} from their overrides first.
          </Banner>
        )}
        {changed && <Banner tone="warn">Others changed one of these objects meanwhile. Check the list, then rename again.</Banner>}
        {rename.error !== null && problem === undefined && <ErrorCard title={`${name} was not renamed`} error={rename.error} />}
        <FormButtons
          submit="Rename"
          onCancel={onClose}
          busy={rename.isPending}
          disabled={!plan || tooMany || written === '' || written === name || problem !== undefined}
          disabledReason={reason}
        />
      </Form>
    </Dialog>
  );
}

/** Texts of one change. */
function Change({ planned: { base, document } }: { readonly planned: PlannedDocument }) {
  const [open, setOpen] = useState(false);
  const { kind, namespace, name } = keyOf(base);
  const what = `${kindWord(kind, 1)} ${name}`;
  return (
    <li>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary className="cursor-pointer px-3 py-1.5 [overflow-wrap:anywhere] hover:bg-hover">
          <span className="text-muted">{kindWord(kind, 1)}</span> <span className="font-medium">{name}</span>
          <span className="text-sm text-muted"> in {namespace}</span>
        </summary>
        {open && (
          <DiffView
            before={objectYaml(base)}
            after={toYaml(document)}
            beforeLabel="As it is"
            afterLabel="After the rename"
            label={`Changes of ${what}`}
            initialLayout="unified"
            className="mx-3 mb-3 max-h-80"
          />
        )}
      </details>
    </li>
  );
}

function Changes({ plan, name, unread }: { readonly plan: RenamePlan; readonly name: string; readonly unread: boolean }) {
  const { referrers, unchanged } = plan;
  const managed = [plan.object, ...referrers].some(({ base }) => isCrdManaged(base));
  return (
    <div className="flex flex-col gap-3">
      {referrers.length === 0 ? (
        <p className="text-muted">No other object changes: none refers to {name}.</p>
      ) : (
        <section>
          <h3 className="mb-1 font-medium">Changes with it: {countsByKind(referrers.map(({ base }) => keyOf(base)))}</h3>
          <ul className="max-h-96 divide-y divide-border overflow-y-auto rounded-md border border-border">
            {referrers.map((planned) => (
              <Change key={planned.base.metadata.uid} planned={planned} />
            ))}
          </ul>
        </section>
      )}
      {unchanged.length > 0 && <p className="text-muted">Records keep the earlier name: {countsByKind(unchanged)}.</p>}
      <p className="text-muted">
        All changes are one step: every object changes, or none. Runs so far, their counts and earlier versions stay under {name}; runs that
        have begun go on. Experiments keep the earlier name in their variants. Names in texts, such as prompts, do not change.
      </p>
      {unread && (
        <Banner tone="warn">A system has more Sessions than are read here. Those that were not read keep {name} in overrides.</Banner>
      )}
      {managed && (
        <Banner tone="warn">A custom resource of a cluster manages some of these objects and may write the earlier name again.</Banner>
      )}
    </div>
  );
}
