// The designer: outline and agents at the left, canvas and YAML in the middle, the selection at the right, problems below.
import { Suspense, useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { useRouter, type RouterHistory } from '@tanstack/react-router';
import type { MenuItem } from '../../../ui/overlay/menu-items.ts';
import { PagePanel } from '../../../inspector/PagePanel.tsx';
import { SplitPane } from '../../../ui/layout/SplitPane.tsx';
import { RoutePending } from '../../../ui/feedback/RoutePending.tsx';
import type { YamlDiagnostic } from '../../../editor/YamlEditor.tsx';
import { NOTHING_SELECTED, type GraphSelection } from '../../../graph/canvas-items.ts';
import { focusAgent, type GraphHandle } from '../../../graph/GraphCanvas.tsx';
import type { RunOverlay } from '../../../graph/overlay.ts';
import { useAgentFacts } from '../../../graph/use-agent-summaries.ts';
import { AgentPicker } from './AgentPicker.tsx';
import { draftedObjects, draftsOf, modelOf, type Drafts } from '../document/drafts.ts';
import { focusPrompt } from '../agent/PromptEditor.tsx';
import { useModels, type OfferedModel } from '../agent/use-models.ts';
import { useDesignActions, type DesignActions, type NewAgents } from '../document/design-actions.ts';
import { DesignCanvas } from './DesignCanvas.tsx';
import { DesignLayout } from './DesignLayout.tsx';
import { DesignToolbar } from './DesignToolbar.tsx';
import { EdgeInspector } from '../inspector/EdgeInspector.tsx';
import { FindAgent } from './FindAgent.tsx';
import { useRenaming, type Renaming } from '../inspector/use-renaming.ts';
import { RenameAgent } from '../inspector/RenameAgent.tsx';
import { NodeInspector } from '../inspector/NodeInspector.tsx';
import { Outline } from '../outline/Outline.tsx';
import { OfferContext, type CatalogueItem, type Offer } from '../agent/offer.ts';
import { Library } from './Library.tsx';
import type { PaletteProps } from './Palette.tsx';
import { problemMarks, type SystemProblem } from '../document/problems.ts';
import { ProblemStrip } from './ProblemStrip.tsx';
import { SelectionInspector } from '../inspector/SelectionInspector.tsx';
import { SystemInspector } from '../inspector/SystemInspector.tsx';
import { useAgents } from './use-agents.ts';
import type { Design } from '../document/use-design.ts';
import { paneKey, selectFocused, useDesignKeys } from './use-design-keys.ts';
import type { DesignView } from './use-design-view.ts';
import { useNarrow } from './use-narrow.ts';
import { useProblems } from '../document/use-problems.ts';
import { lazyPart } from '../../../ui/lazy-part.ts';
import { TrialAids, TrialNote } from '../run/TrialAids.tsx';
import { useTrialKeys } from '../run/use-trial-keys.ts';
import type { TrialDesign } from '../run/use-trial-design.ts';

const YamlEditor = lazyPart(async () => (await import('../../../editor/YamlEditor.tsx')).YamlEditor);

export interface DesignTabProps {
  readonly namespace: string;
  /** Empty while the system has no name. */
  readonly name: string;
  readonly isNew: boolean;
  readonly design: Design;
  readonly view: DesignView;
  readonly overlay: RunOverlay | undefined;
  readonly trial: TrialDesign;
  /** The followed run; empty for none. */
  readonly task: string;
  readonly readOnly: boolean;
  /** Whether the design differs from what is stored. */
  readonly changed: boolean;
  readonly onSave: () => void;
  /** Server message of the text at the last try to save. */
  readonly diagnostics: readonly YamlDiagnostic[];
  readonly comparisons: readonly MenuItem[];
  /** Results of the followed run; undefined without one. */
  readonly results: ReactNode | undefined;
  /** Called with the handle of the canvas once it is mounted. */
  readonly onCanvas: (handle: GraphHandle) => void;
}

/** True after the page was reached, or Back or Forward changed its address: changes that the page did not make. */
function useArrived(): RefObject<boolean> {
  const history = useRouter().history as RouterHistory;
  const arrived = useRef(true);
  useEffect(
    () =>
      history.subscribe(({ action }) => {
        arrived.current = action.type !== 'PUSH' && action.type !== 'REPLACE';
      }),
    [history],
  );
  return arrived;
}

function selectionOf(item: string): GraphSelection {
  if (item === '') return NOTHING_SELECTED;
  return item.includes('→') ? { nodes: [], edges: [item] } : { nodes: [item], edges: [] };
}

/** The selection with its part in the address: one agent or route, so that a link shows it and Back restores it. */
function useSelection(design: Design, view: DesignView) {
  const { select } = design;
  const { item, set } = view;
  const arrived = useArrived();
  const { nodes, edges } = design.selection;
  const now = nodes.length + edges.length === 1 ? (nodes[0] ?? edges[0] ?? '') : '';
  const shown = useRef(item);
  useEffect(() => {
    if (!arrived.current) return;
    arrived.current = false;
    if (item === '' && shown.current === '') return;
    shown.current = item;
    select(selectionOf(item));
  }, [arrived, item, select]);
  const restored = useRef(false);
  useEffect(() => {
    const before = restored.current;
    restored.current = true;
    if (!before || shown.current === now) return;
    shown.current = now;
    set({ item: now });
  }, [now, set]);
}

interface Parts {
  readonly props: DesignTabProps;
  readonly actions: DesignActions;
  readonly renaming: Renaming;
  readonly facts: ReturnType<typeof useAgentFacts>;
}

function InspectorPane({ props, actions, facts, renaming }: Parts) {
  const { design, namespace, name, readOnly, isNew } = props;
  const { nodes, edges } = design.selection;
  const node = nodes.length === 1 && edges.length === 0 ? design.model.byName.get(nodes[0] ?? '') : undefined;
  const edge = edges.length === 1 && nodes.length === 0 ? design.model.edges.find(({ id }) => id === edges[0]) : undefined;
  const count = nodes.length + edges.length;
  return (
    <PagePanel aria-label="Inspector" tabIndex={-1} className="min-h-0 flex-1 overflow-y-auto bg-surface">
      {node ? (
        <NodeInspector
          key={node.id}
          node={node}
          namespace={namespace}
          system={name}
          isNew={isNew}
          facts={facts.get(node.id)}
          design={design}
          actions={actions}
          readOnly={readOnly}
          trial={props.trial}
          onRename={() => renaming.ask(node.id)}
          renameReason={renaming.reasonFor(node.id)}
        />
      ) : edge ? (
        <EdgeInspector edge={edge} design={design} actions={actions} readOnly={readOnly} />
      ) : count > 1 ? (
        <SelectionInspector selection={design.selection} onSelect={design.select} actions={actions} readOnly={readOnly} />
      ) : (
        <SystemInspector name={name} design={design} readOnly={readOnly} isNew={isNew} />
      )}
    </PagePanel>
  );
}

function YamlPane({
  props,
  problems,
  reveal,
}: {
  readonly props: DesignTabProps;
  readonly problems: readonly SystemProblem[];
  readonly reveal: SystemProblem | undefined;
}) {
  const { design, namespace, name, readOnly, onSave, diagnostics: serverProblems } = props;
  const diagnostics = useMemo(
    () => [
      ...serverProblems,
      ...problems
        .filter(({ id, severity }) => !id.startsWith('rule ') && severity !== 'info')
        .map(({ path, message, severity }) => ({ path, message, severity })),
    ],
    [serverProblems, problems],
  );
  return (
    <Suspense fallback={<RoutePending />}>
      <YamlEditor
        bare
        value={design.text}
        onChange={design.typed}
        onSave={onSave}
        kind="AgentSystem"
        namespace={namespace}
        readOnly={readOnly}
        askServer={false}
        diagnostics={diagnostics}
        revealPath={reveal?.path}
        revealed={reveal}
        label={`YAML of ${name === '' ? 'the new system' : name}`}
      />
    </Suspense>
  );
}

function LeftPane({
  props,
  actions,
  agents,
  marks,
  onShow,
  onGive,
}: Omit<Parts, 'facts' | 'renaming'> & {
  readonly agents: Pick<PaletteProps, 'agents' | 'loading' | 'failed'>;
  readonly marks: ReturnType<typeof problemMarks>;
  readonly onShow: (agent: string) => void;
  readonly onGive: (agent: string, item: CatalogueItem) => void;
}) {
  const { design, namespace, name, readOnly } = props;
  const narrow = useNarrow();
  const inSystem = useMemo(() => new Set(design.system.agents), [design.system]);
  const outline = (
    <Outline
      name={name === '' ? 'the new system' : name}
      design={design}
      actions={actions}
      marks={marks}
      readOnly={readOnly}
      onShow={onShow}
    />
  );
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-surface">
      {readOnly ? (
        outline
      ) : (
        <SplitPane
          label="Height of the outline"
          axis="y"
          sized="second"
          {...(narrow ? { initial: 130, storageKey: 'designer-palette-narrow' } : { initial: 260, storageKey: 'designer-palette' })}
          min={100}
          first={
            <>
              <h2 className="flex h-8 shrink-0 items-center border-b border-border px-3 text-sm font-medium text-muted">Outline</h2>
              {outline}
            </>
          }
          second={
            <Library
              namespace={namespace}
              design={design}
              palette={{ ...agents, inSystem, onAdd: (agent) => actions.add(agent) }}
              onGive={onGive}
            />
          }
        />
      )}
    </div>
  );
}

/** The model that a new agent begins with: that of its new neighbours, or the only one there is. */
function firstModel(drafts: Drafts, models: readonly OfferedModel[]): string {
  const [first] = draftsOf(drafts, 'Agent')
    .map(modelOf)
    .filter((ref) => ref !== '');
  return first ?? (models.length === 1 ? (models[0]?.ref ?? '') : '');
}

function useNewAgents(namespace: string, design: Design): NewAgents {
  const models = useModels(namespace, design);
  const { drafts } = design;
  return useMemo(() => ({ namespace, spec: () => ({ model_ref: firstModel(drafts, models), prompt: '' }) }), [namespace, drafts, models]);
}

/** The last item given to an agent, until its side form takes it. */
function useOffering(select: Design['select']) {
  const [offer, setOffer] = useState<Offer>();
  const onGive = useCallback(
    (agent: string, item: CatalogueItem) => {
      select({ nodes: [agent], edges: [] });
      setOffer({ agent, item });
    },
    [select],
  );
  return { offering: useMemo(() => ({ offer, taken: () => setOffer(undefined) }), [offer]), onGive };
}

/** Focus on the canvas, around it, in a dialog over it, or nowhere: it moves to an added node. In the library and in fields it stays. */
const isFocusFree = (focused: Element | null) =>
  !focused || focused.querySelector('.react-flow') !== null || focused.closest('[role="dialog"], .react-flow') !== null;

interface CanvasPlaces {
  readonly root: RefObject<HTMLElement | null>;
  readonly handle: RefObject<GraphHandle | undefined>;
}

/** An added node is shown, with all others where they fit; one that undo restores is not selected. */
function useShownAdditions({ model, selection, placement }: Design, { root, handle }: CanvasPlaces): void {
  const arranged = placement.positions.size > 0;
  const before = useRef(model);
  useEffect(() => {
    const { byName, nodes } = before.current;
    before.current = model;
    if (model.nodes.length <= nodes.length) return;
    const fresh = model.nodes.filter(({ id }) => !byName.has(id)).map(({ id }) => id);
    const added = selection.nodes.find((id) => fresh.includes(id)) ?? fresh[0];
    if (added === undefined) return;
    // A picture that was arranged by hand keeps its view.
    if (arranged) handle.current?.showNode(added);
    else handle.current?.showAdded(added);
    if (isFocusFree(document.activeElement)) focusAgent(root.current, added);
  }, [model, selection, arranged, root, handle]);
}

/** An agent that undo or a new name removes from the canvas gives its focus to the selected one, or else to one beside it. */
function useFocusAfterRemoval({ model, selection }: Design, { root }: CanvasPlaces): void {
  const focused = useRef<string | undefined>(undefined);
  const before = useRef(model);
  useEffect(() => {
    const canvas = root.current;
    const onFocus = ({ target }: FocusEvent) => {
      focused.current = (target as Element).closest('.react-flow__node')?.getAttribute('data-id') ?? undefined;
    };
    canvas?.addEventListener('focusin', onFocus);
    return () => canvas?.removeEventListener('focusin', onFocus);
  }, [root]);
  useEffect(() => {
    const gone = before.current.byName.get(focused.current ?? '');
    before.current = model;
    if (!gone || model.byName.has(gone.id) || !isFocusFree(document.activeElement)) return;
    const near = [...selection.nodes, ...gone.sources, ...gone.targets, ...model.nodes.map(({ id }) => id)].find((id) =>
      model.byName.has(id),
    );
    if (near !== undefined) focusAgent(root.current, near);
  }, [model, selection, root]);
}

/** The parts of the designer and their connections. */
function useParts(props: DesignTabProps) {
  const { design, namespace, view, readOnly } = props;
  const root = useRef<HTMLDivElement>(null);
  const handle = useRef<GraphHandle | undefined>(undefined);
  const [finding, setFinding] = useState(false);
  const [reveal, setReveal] = useState<SystemProblem>();
  const names = useMemo(() => design.model.nodes.map(({ id }) => id), [design.model]);
  const drafted = useMemo(() => draftedObjects(design.drafts), [design.drafts]);
  const facts = useAgentFacts(namespace, names, drafted);
  const problems = useProblems(design, { namespace, facts });
  const marks = useMemo(() => problemMarks(problems), [problems]);
  const actions = useDesignActions(design, useNewAgents(namespace, design));
  const renaming = useRenaming(props, facts);
  const canvas = useCallback(() => handle.current, []);
  useSelection(design, view);
  useDesignKeys({
    root,
    design,
    actions,
    canvas,
    onFind: () => setFinding(true),
    onOutline: () => view.set({ outline: !view.outline }),
    onRename: renaming.ask,
    readOnly,
  });
  useTrialKeys(props.trial, design.selection);
  const { select } = design;
  useShownAdditions(design, { root, handle });
  useFocusAfterRemoval(design, { root, handle });
  const { offering, onGive } = useOffering(select);
  const onSelect = useCallback((selection: GraphSelection) => select(selection), [select]);
  const show = useCallback((agent: string) => handle.current?.showNode(agent), []);
  const onOpen = useCallback(() => focusPrompt(root.current), []);
  const onFound = (agent: string) => {
    select({ nodes: [agent], edges: [] });
    handle.current?.focusNode(agent);
  };
  const onProblem = (problem: SystemProblem) => {
    design.select(
      problem.edge !== undefined
        ? { nodes: [], edges: [problem.edge] }
        : { nodes: problem.node === undefined ? [] : [problem.node], edges: [] },
    );
    const at = problem.node ?? design.model.edges.find(({ id }) => id === problem.edge)?.target;
    if (at !== undefined) handle.current?.focusNode(at);
    setReveal({ ...problem });
  };
  return {
    root,
    handle,
    finding,
    setFinding,
    reveal,
    facts,
    problems,
    marks,
    actions,
    canvas,
    onSelect,
    onOpen,
    show,
    onFound,
    onProblem,
    offering,
    onGive,
    renaming,
  };
}

type Pieces = ReturnType<typeof useParts>;

function Middle({ props, parts }: { readonly props: DesignTabProps; readonly parts: Pieces }) {
  const { name, design, view, overlay, readOnly } = props;
  const { actions, facts, marks, canvas, handle } = parts;
  return (
    <DesignCanvas
      name={name}
      design={design}
      actions={actions}
      view={view}
      facts={facts}
      marks={marks}
      overlay={overlay}
      trial={props.trial}
      readOnly={readOnly}
      canvas={canvas}
      onGive={parts.onGive}
      onSelect={parts.onSelect}
      onOpen={parts.onOpen}
      onReady={(ready) => {
        handle.current = ready;
        props.onCanvas(ready);
      }}
    >
      <TrialAids trial={props.trial} namespace={props.namespace} system={name} task={props.task} canvas={canvas} />
      {parts.finding && <FindAgent model={design.model} onClose={() => parts.setFinding(false)} onFind={parts.onFound} />}
    </DesignCanvas>
  );
}

export function DesignTab(props: DesignTabProps) {
  const { name, isNew, design, view, readOnly, results } = props;
  const parts = useParts(props);
  const { actions, facts, marks, problems, canvas, renaming } = parts;
  const { agents, loading, arriving, error } = useAgents(props.namespace);
  const listed = { agents, loading, failed: error !== null };
  // An unreadable text cannot be edited by place, so its fields are locked.
  const locked = readOnly || !design.readable;
  return (
    <div
      ref={parts.root}
      className="flex min-h-0 min-w-0 flex-1 flex-col max-md:min-h-88"
      onKeyDown={(event) => paneKey(event, { design, canvas })}
      onKeyUp={(event) => selectFocused(event, { design })}
    >
      <DesignToolbar
        name={name}
        design={design}
        actions={actions}
        view={view}
        canvas={canvas}
        onFind={() => parts.setFinding(true)}
        comparisons={props.comparisons}
        readOnly={readOnly}
      >
        <TrialNote trial={props.trial} />
      </DesignToolbar>
      <DesignLayout
        left={<LeftPane props={props} actions={actions} agents={listed} marks={marks} onShow={parts.show} onGive={parts.onGive} />}
        canvas={<Middle props={props} parts={parts} />}
        inspector={
          <OfferContext value={parts.offering}>
            <InspectorPane props={{ ...props, readOnly: locked }} actions={actions} facts={facts} renaming={renaming} />
          </OfferContext>
        }
        details={view.details || isNew || design.selection.nodes.length + design.selection.edges.length > 0}
        results={results}
        yaml={view.yaml ? <YamlPane props={props} problems={problems} reveal={parts.reveal} /> : undefined}
        outline={view.outline}
      />
      <AgentPicker
        picking={actions.picking}
        agents={agents}
        loading={arriving}
        inSystem={design.system.agents}
        onPick={actions.picked}
        onClose={() => actions.pick(undefined)}
      />
      {renaming.agent !== undefined && (
        <RenameAgent
          agent={renaming.agent}
          namespace={props.namespace}
          design={design}
          trial={props.trial}
          agents={agents.map(({ ref }) => ref)}
          stored={renaming.isStored(renaming.agent)}
          onClose={renaming.close}
        />
      )}
      <ProblemStrip
        problems={problems}
        unreadable={design.unreadable}
        readOnly={locked}
        onShow={parts.onProblem}
        onFix={(fix) => ('make' in fix ? actions.make(fix.make) : design.run(fix.label, fix.apply))}
      />
    </div>
  );
}
