// The designer around one text: changes, drafts and applying are those of every editor; the canvas adds itself and the run that is shown on it.
import type { Resource } from '@svc/shared/resource';
import { useEffect, useMemo, useRef, useState, type Dispatch, type RefObject, type SetStateAction } from 'react';
import { useNavigation } from '../../ui/link/navigation.ts';
import { ApplyFlow, type OtherEdits } from '../../editor/ApplyFlow.tsx';
import type { Editing } from '../../editor/editing.ts';
import type { GraphHandle } from '../../graph/GraphCanvas.tsx';
import { LeaveGuard } from './LeaveGuard.tsx';
import { DesignTab } from './canvas/DesignTab.tsx';
import { RunBar } from './run/RunBar.tsx';
import { Results } from './run/Results.tsx';
import { RunDialog } from './run/RunDialog.tsx';
import { useComparisons } from './run/use-comparisons.tsx';
import { useRunAgain } from './run/use-run-again.ts';
import { useTrialDesign, type TrialDesign } from './run/use-trial-design.ts';
import { NodeTrialButtons } from '../trials/parts/NodeTrialButtons.tsx';
import { trialSpecOf, withPin } from '../trials/model/trial-draft.ts';
import { keepTrialDraft } from '../trials/model/use-trial-draft.ts';
import { homeOf, nameOf } from './document/system-text.ts';
import {
  countedDrafts,
  editedSince,
  inReadingOrder,
  NO_DRAFTS,
  withBases,
  withDraft,
  type DraftObject,
  type Drafts,
} from './document/drafts.ts';
import { useKeptDrafts } from './document/kept-drafts.ts';
import { SystemApplyDialog } from './apply/SystemApplyDialog.tsx';
import { keepLastApply, useLastApply } from './apply/last-apply.ts';
import { useSystemApply } from './apply/use-system-apply.ts';
import { useDesign, type Design } from './document/use-design.ts';
import { useDesignView } from './canvas/use-design-view.ts';
import { useCanEdit } from '../../sign-in/can-write.ts';
import { Banner } from '../../ui/feedback/Banner.tsx';
import { useRunOverlay, type FollowedRun } from './run/use-run-overlay.ts';

export interface SystemDesignerProps {
  readonly namespace: string;
  /** Undefined makes a new system. */
  readonly current: Resource | undefined;
  /** Initial YAML of a new system. */
  readonly initialText?: string;
  /** The name of a new system changed; empty for the one that it began with. */
  readonly onNamed?: (name: string) => void;
  readonly readOnly?: boolean;
  /** The run that is followed; empty for none. */
  readonly task: string;
  readonly onTask: (task: string) => void;
  readonly running: boolean;
  readonly onRunning: (open: boolean) => void;
  /** The system was stored; with the name of a run that was started with it. */
  readonly onApplied: (resource: Resource, task?: string) => void;
}

/** The view follows the running agent on request. */
function useCamera(run: FollowedRun | undefined) {
  const canvas = useRef<GraphHandle | undefined>(undefined);
  const [follows, setFollows] = useState(false);
  const active = useMemo(
    () => [...(run?.overlay?.nodes ?? [])].find(([, { state }]) => state === 'running' || state === 'waiting')?.[0],
    [run],
  );
  useEffect(() => {
    if (follows && active !== undefined) canvas.current?.showNode(active);
  }, [follows, active]);
  return { canvas, follows, setFollows };
}

interface DesignerProps {
  readonly props: SystemDesignerProps;
  readonly editing: Editing;
  readonly drafts: Drafts;
  readonly setDrafts: Dispatch<SetStateAction<Drafts>>;
  /** Set while the page navigates by itself, because the system was created. */
  readonly leaving: { current: boolean };
  /** Opens the review of everything, for the bar below. */
  readonly reviewAll: RefObject<() => void>;
  /** A run that starts with this apply: the page is not left before it has a name. */
  readonly held: RefObject<Resource | undefined>;
}

function placeOf({ namespace, current }: SystemDesignerProps, { value }: Design) {
  if (current === undefined) return { name: nameOf(value), home: homeOf(value, namespace) };
  return { name: current.metadata.name, home: namespace };
}

/** The system as an object of the apply; undefined while only other objects changed. */
function systemObject(props: SystemDesignerProps, editing: Editing, design: Design): DraftObject | undefined {
  if (props.current !== undefined && !editing.dirty) return undefined;
  const { name, home } = placeOf(props, design);
  return { kind: 'AgentSystem', namespace: home, name, text: editing.text, base: editing.base };
}

function useApplyAll({ props, editing, drafts, setDrafts, reviewAll, held }: DesignerProps, design: Design) {
  const holds = useRef(false);
  const system = systemObject(props, editing, design);
  const place = placeOf(props, design);
  const objects = useMemo(() => inReadingOrder(drafts), [drafts]);
  const systemApply = useSystemApply({
    namespace: props.namespace,
    system: `${place.home}/${place.name}`,
    objects: system ? [...objects, system] : objects,
    onMerged: (object, text, theirs) => {
      if (object.kind === 'AgentSystem') editing.merge(text, theirs);
      else design.edit(`Merge ${object.name}`, (before) => ({ drafts: withDraft(before.drafts, { ...object, text, base: theirs }) }));
    },
    // The person may have written on since the request.
    onRebase: (rebased) => setDrafts((now) => withBases(now, rebased)),
    onApplied: (stored, sent) => {
      const after = sent.map((draft, index) => ({ ...draft, base: stored[index] }));
      setDrafts((now) => withBases(editedSince(now, sent), after));
      const made = after.find(({ kind }) => kind === 'AgentSystem');
      if (made?.base && holds.current) held.current = made.base;
      else if (made?.base) editing.adopt(made.base, made.text);
    },
  });
  useEffect(() => {
    reviewAll.current = systemApply.review;
  });
  /** Applies, and keeps the page until the run has started. */
  const applyAndHold = async () => {
    holds.current = props.current === undefined;
    try {
      return await systemApply.applyNow();
    } finally {
      holds.current = false;
    }
  };
  return { systemApply, applyAndHold };
}

/** The runs that begin here: the followed one again, trials, comparisons. */
function useRuns(all: DesignerProps, design: Design, { systemApply, applyAndHold }: ReturnType<typeof useApplyAll>) {
  const { props, editing, drafts, leaving, held } = all;
  const { current, task, onTask, running, onRunning } = props;
  const { name, home } = placeOf(props, design);
  const navigation = useNavigation();
  const isNew = current === undefined;
  const stored = isNew ? '' : name;
  const trial = useTrialDesign({ namespace: home, system: stored, task, running, onRunning });
  const leaveTo = (address: string) => {
    // Drafts are kept in this browser and offered again.
    leaving.current = true;
    navigation.go(address);
  };
  const release = (started: string) => {
    const made = held.current;
    // A system that was just made keeps its trial under its name.
    if (made) keepTrialDraft(home, made.metadata.name, trial.draft);
    held.current = undefined;
    onRunning(false);
    if (made) {
      leaving.current = true;
      props.onApplied(made, started);
    } else if (started !== '') onTask(started);
  };
  const again = useRunAgain({
    ...{ namespace: home, system: stored, task, onStarted: release, trial: trialSpecOf(trial.draft) },
    prepare: editing.dirty || drafts.size > 0 || isNew ? applyAndHold : undefined,
    onAsk: () => onRunning(true),
    onCompare: leaveTo,
  });
  const reviewing = 'reviewed' in systemApply.state;
  const compared = useComparisons({
    ...{ namespace: home, system: name, design, again, isNew, prepare: applyAndHold, reviewing, onOpen: leaveTo },
    edited: editing.dirty ? { name, base: editing.base } : undefined,
  });
  return { trial, release, again, compared, reviewing };
}

function useOwnName(name: string, onNamed: SystemDesignerProps['onNamed']): void {
  const [first] = useState(name);
  useEffect(() => onNamed?.(name === first ? '' : name), [name, first, onNamed]);
}

function Designer(all: DesignerProps) {
  const { props, editing, drafts, setDrafts, leaving } = all;
  const { namespace, current, readOnly = false, task, onTask, running } = props;
  const design = useDesign({ text: editing.text, setText: editing.setText, drafts, setDrafts, epoch: editing.epoch });
  const view = useDesignView();
  const run = useRunOverlay(namespace, task === '' ? undefined : task, design.model);
  const { canvas, follows, setFollows } = useCamera(run);
  const applyAll = useApplyAll(all, design);
  const { systemApply, applyAndHold } = applyAll;
  const { name, home } = placeOf(props, design);
  useOwnName(name, props.onNamed);
  const dirty = editing.dirty || drafts.size > 0;
  const { reason } = useCanEdit();
  const { trial, release, again, compared, reviewing } = useRuns(all, design, applyAll);
  return (
    <>
      <LeaveGuard dirty={dirty} leaving={leaving} />
      {reason !== undefined && <Banner tone="neutral">{reason}</Banner>}
      {run && (
        <RunBar
          namespace={namespace}
          task={task}
          run={run}
          follows={follows}
          onFollow={setFollows}
          again={again}
          onStop={() => onTask('')}
        />
      )}
      <DesignTab
        namespace={home}
        name={name}
        isNew={current === undefined}
        design={design}
        view={view}
        overlay={run?.overlay}
        trial={trial}
        comparisons={compared.items}
        task={task}
        results={task === '' ? undefined : <RunResults design={design} namespace={home} task={task} trial={trial} />}
        readOnly={readOnly || editing.readOnly}
        changed={dirty || current === undefined}
        onSave={editing.review}
        diagnostics={editing.diagnostics}
        onCanvas={(handle) => (canvas.current = handle)}
      />
      {compared.dialog}
      <SystemApplyDialog systemApply={systemApply} disabledReason={editing.readOnlyReason} />
      <RunDialog
        open={running && !reviewing}
        onClose={() => release('')}
        namespace={home}
        system={name}
        cycle={design.model.cycle}
        changes={dirty || current === undefined ? changesText(drafts, editing.dirty || current === undefined) : undefined}
        prepare={applyAndHold}
        onStarted={release}
        trial={{ nodes: design.system.agents, draft: trial.draft, onDraft: trial.setDraft, scope: trial.scope }}
      />
    </>
  );
}

/** More agents are chosen on the canvas. */
const RESULTS_LISTED_MAX = 40;

interface RunResultsProps {
  readonly design: Design;
  readonly namespace: string;
  readonly task: string;
  readonly trial: TrialDesign;
}

function RunResults({ design, namespace, task, trial }: RunResultsProps) {
  const { nodes, edges } = design.selection;
  const agents = useMemo(() => design.model.nodes.slice(0, RESULTS_LISTED_MAX).map(({ id }) => id), [design.model]);
  return (
    <Results
      namespace={namespace}
      task={task}
      agent={nodes.length === 1 && edges.length === 0 ? nodes[0] : undefined}
      agents={agents}
      onAgent={(agent) => design.select({ nodes: agent === undefined ? [] : [agent], edges: [] })}
      actions={(agent) => (
        <NodeTrialButtons
          agent={agent}
          onFrom={() => trial.run('from', agent)}
          onOnly={() => trial.run('only', agent)}
          onPin={() => trial.setDraft(withPin(trial.draft, { node: agent, task }))}
        />
      )}
    />
  );
}

/** `the system, 1 model and 3 agents`. */
function changesText(drafts: Drafts, system: boolean): string {
  if (drafts.size === 0) return 'the system';
  return system ? `the system, with ${countedDrafts(drafts)}` : countedDrafts(drafts);
}

export function SystemDesigner(props: SystemDesignerProps) {
  const { namespace, current, initialText, onApplied } = props;
  const name = current?.metadata.name;
  const target = useMemo(() => ({ kind: 'AgentSystem', namespace, name }), [namespace, name]);
  const leaving = useRef(false);
  const [drafts, setDrafts] = useState<Drafts>(NO_DRAFTS);
  const reviewAll = useRef<() => void>(() => undefined);
  const held = useRef<Resource | undefined>(undefined);
  const kept = useKeptDrafts({ namespace, name }, drafts, setDrafts);
  const applied = (resource: Resource) => {
    leaving.current = current === undefined;
    keepLastApply(undefined);
    onApplied(resource);
  };
  const last = useLastApply(`${namespace}/${name ?? ''}`);
  const others: OtherEdits = {
    count: drafts.size,
    ...(last && { applied: { words: `${last.count === 1 ? '1 object' : `${last.count} objects`} applied as one`, undo: last.undo } }),
    review: () => reviewAll.current(),
    discard: () => setDrafts(NO_DRAFTS),
    ...kept,
  };
  return (
    <ApplyFlow target={target} current={current} {...(initialText !== undefined && { initialText })} onApplied={applied} others={others}>
      {(editing) => <Designer {...{ props, editing, drafts, setDrafts, leaving, reviewAll, held }} />}
    </ApplyFlow>
  );
}
