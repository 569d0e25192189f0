// Entries of verbs in the palette: for the objects that a search found, and for those that a verb alone applies to.
import type { Resource } from '@svc/shared/resource';
import { keepPreviousData, useQueries, useQueryClient } from '@tanstack/react-query';
import { CornerDownRight, MessagesSquare, Pause, PencilLine, Play, RotateCcw, Square } from 'lucide-react';
import { canSuspend, isSuspended, SUSPEND_SHORTCUT } from '../../features/explorer/object-traits.ts';
import { setSuspended } from '../../features/explorer/writes.ts';
import { useStartSession } from '../../features/sessions/model/use-start-session.ts';
import { kindNamed, kindTable } from '../../kinds/kind-table.ts';
import { kindTitle } from '../../kinds/kind-titles.ts';
import { StatePill } from '../../kinds/StatePill.tsx';
import { api } from '../../live/api.ts';
import { objectAddress, type ObjectRef } from '../../navigation/addresses.ts';
import { bare, useOwnLocation } from '../../navigation/own-location.ts';
import { useScope } from '../../navigation/scope.ts';
import { useCanWrite } from '../../sign-in/can-write.ts';
import { shortcuts } from '../../shortcuts/registry.ts';
import { useNavigation } from '../../ui/link/navigation.ts';
import { toastDone, toastError } from '../../ui/overlay/toast.ts';
import { useStore } from '../../ui/store.ts';
import { readVerbList, verbsOf, type PaletteVerb } from './palette-model.ts';
import type { PaletteEntry } from './use-palette-entries.tsx';

/** Limit of objects offered together with a verb, such as "run NAME". */
const VERB_HITS_MAX = 3;
/** Limit of objects offered for a verb that was typed. */
export const HITS_MAX = 50;
const LISTED_MAX = 20;
/** Verbs offered for a name that was typed without a verb. */
const UNASKED: readonly PaletteVerb[] = ['run', 'chat'];
const WRITING: readonly PaletteVerb[] = ['run', 'chat', 'cancel', 'retry', 'suspend', 'resume'];

export type Hit = ObjectRef & {
  readonly phase?: string;
  readonly reason?: string;
  readonly suspended?: boolean;
  /** Present in a list, absent in a search. */
  readonly resource?: Resource;
};

function useResume(): (hit: Hit) => void {
  const queryClient = useQueryClient();
  return ({ name, resource }) => {
    if (!resource) return;
    setSuspended(queryClient, resource, { suspend: false }).then(
      () => toastDone(`${name} is resumed`),
      (error: unknown) => toastError(`${name} could not be resumed`, error),
    );
  };
}

/** Entries of verbs for hits: those of the verb that was typed, or the first ones of a name that was typed alone. */
export function useVerbs(asked: PaletteVerb | undefined): (hits: readonly Hit[]) => PaletteEntry[] {
  const { go } = useNavigation();
  const { scope, namespace } = useScope();
  const startSession = useStartSession();
  const { allowed } = useCanWrite();
  const resume = useResume();
  const acts: Readonly<
    Record<PaletteVerb, Pick<PaletteEntry, 'icon'> & { readonly label: (name: string) => string; act: (hit: Hit) => void }>
  > = {
    run: { label: (name) => `Run ${name}…`, icon: <Play />, act: (hit) => go(objectAddress(hit, scope, { ask: 'run' })) },
    chat: { label: (name) => `Chat with ${name}`, icon: <MessagesSquare />, act: (hit) => void startSession(hit) },
    edit: { label: (name) => `Edit ${name}`, icon: <PencilLine />, act: (hit) => go(objectAddress(hit, scope)) },
    open: { label: (name) => `Open ${name}`, icon: <CornerDownRight />, act: (hit) => go(objectAddress(hit, scope)) },
    cancel: { label: (name) => `Cancel ${name}…`, icon: <Square />, act: (hit) => go(objectAddress(hit, scope, { ask: 'cancel' })) },
    retry: { label: (name) => `Retry ${name}…`, icon: <RotateCcw />, act: (hit) => go(objectAddress(hit, scope, { ask: 'retry' })) },
    suspend: { label: (name) => `Suspend ${name}…`, icon: <Pause />, act: (hit) => go(objectAddress(hit, scope, { ask: 'suspend' })) },
    resume: { label: (name) => `Resume ${name}`, icon: <Play />, act: resume },
  };
  const entry = (verb: PaletteVerb, hit: Hit): PaletteEntry => ({
    id: `${verb}-${hit.kind}/${hit.namespace}/${hit.name}`,
    label: acts[verb].label(hit.name),
    icon: acts[verb].icon,
    detail: <HitDetail hit={hit} foreign={hit.namespace !== namespace} />,
    run: () => acts[verb].act(hit),
  });
  const offered = (asked === undefined ? UNASKED : [asked]).filter((verb) => allowed || !WRITING.includes(verb));
  return (hits) => {
    const able = hits
      .map((hit) => ({ hit, verbs: verbsOf(hit).filter((verb) => offered.includes(verb)) }))
      .filter(({ verbs }) => verbs.length > 0);
    return able.slice(0, asked === undefined ? VERB_HITS_MAX : HITS_MAX).flatMap(({ hit, verbs }) => verbs.map((verb) => entry(verb, hit)));
  };
}

const NO_LISTS: NonNullable<ReturnType<typeof readVerbList>>['lists'] = [];

/** Whether the page of the object is open and offers to suspend or to resume it. */
function useOffersItself(): (hit: Hit) => boolean {
  const offered = useStore(shortcuts).some(({ id }) => id === SUSPEND_SHORTCUT);
  const here = bare(useOwnLocation().pathname);
  return (hit) => offered && hit.suspended !== undefined && bare(objectAddress(hit)) === here;
}

/** The objects that a verb without a name applies to, the newest runs first. */
export function useVerbList(query: string): { readonly entries: readonly PaletteEntry[]; readonly loading: boolean } {
  const { namespace } = useScope();
  const { verb, lists = NO_LISTS } = readVerbList(query) ?? {};
  const entriesOf = useVerbs(verb);
  const offersItself = useOffersItself();
  const results = useQueries({
    queries: lists.map((list) => ({
      ...api.resources.list.queryOptions({
        ...list,
        limit: LISTED_MAX,
        ...(namespace !== undefined && kindNamed(list.kind)?.servesAllNamespaces !== true && { namespace }),
      }),
      placeholderData: keepPreviousData,
    })),
  });
  if (verb === undefined) return { entries: [], loading: false };
  const hits = results
    .flatMap(({ data }) => data?.items ?? [])
    .map(hitOf)
    .filter((hit) => !offersItself(hit));
  return { entries: entriesOf(hits), loading: results.some(({ isPending }) => isPending) };
}

function hitOf(resource: Resource): Hit {
  const { kind, metadata, status } = resource as Resource & {
    readonly status: { readonly phase?: string; readonly reason?: string };
  };
  const summary = kindNamed(kind);
  return {
    kind,
    namespace: metadata.namespace,
    name: metadata.name,
    ...(status.phase !== undefined && { phase: status.phase }),
    ...(status.reason !== undefined && { reason: status.reason }),
    ...(summary && canSuspend(summary) && { suspended: isSuspended(resource) }),
    resource,
  };
}

export function HitDetail({ hit, foreign }: { readonly hit: Hit; readonly foreign: boolean }) {
  const kind = kindTable.find((each) => each.kind === hit.kind);
  return (
    <>
      <StatePill kind={hit.kind} status={hit} look="quiet" />
      <span>
        {kind ? kindTitle(kind) : hit.kind}
        {foreign && ` in ${hit.namespace}`}
      </span>
    </>
  );
}
