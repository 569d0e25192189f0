// The designer around one text: changes, drafts and applying are those of every editor; the canvas adds itself and the run that is shown on it.
import type { Resource } from '@svc/shared/resource';
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useMemo, useRef, useState } from 'react';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { ApplyFlow } from '../../editor/ApplyFlow.tsx';
import type { Editing } from '../../editor/editing.ts';
import type { GraphHandle } from '../../graph/GraphCanvas.tsx';
import { DesignTab } from './canvas/DesignTab.tsx';
import { RunBar } from './run/RunBar.tsx';
import { RunDialog } from './run/RunDialog.tsx';
import { homeOf, nameOf } from './document/system-text.ts';
import { useDesign } from './document/use-design.ts';
import { useDesignView } from './canvas/use-design-view.ts';
import { useRunOverlay, type FollowedRun } from './run/use-run-overlay.ts';

export interface SystemDesignerProps {
  readonly namespace: string;
  /** Undefined makes a new system. */
  readonly current: Resource | undefined;
  /** Initial YAML of a new system. */
  readonly initialText?: string;
  readonly readOnly?: boolean;
  /** The run that is followed; empty for none. */
  readonly task: string;
  readonly onTask: (task: string) => void;
  readonly running: boolean;
  readonly onRunning: (open: boolean) => void;
  readonly onApplied: (resource: Resource) => void;
}

/** Leaving asks for confirmation while there are unsaved changes. The draft stays, so that a wrong answer costs nothing. */
function LeaveGuard({ dirty, leaving }: { readonly dirty: boolean; readonly leaving: { readonly current: boolean } }) {
  const blocker = useBlocker({
    shouldBlockFn: ({ current, next }) => dirty && !leaving.current && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  return (
    <ConfirmDialog
      open={blocker.status === 'blocked'}
      onClose={() => blocker.reset?.()}
      onConfirm={() => blocker.proceed?.()}
      title="Leave without applying?"
      consequence="The system stays as it was. Your changes are kept as a draft on this machine and offered when you come back."
      confirmLabel="Leave"
      cancelLabel="Stay"
      danger={false}
    />
  );
}

/** The view follows the running agent on request. */
function useCamera(run: FollowedRun | undefined, canvas: { readonly current: GraphHandle | undefined }) {
  const [follows, setFollows] = useState(false);
  const active = useMemo(
    () => [...(run?.overlay.nodes ?? [])].find(([, { state }]) => state === 'running' || state === 'waiting')?.[0],
    [run],
  );
  useEffect(() => {
    if (follows && active !== undefined) canvas.current?.showNode(active);
  }, [follows, active, canvas]);
  return { follows, setFollows };
}

interface DesignerProps {
  readonly props: SystemDesignerProps;
  readonly editing: Editing;
  /** Set while the page navigates by itself, because the system was created. */
  readonly leaving: { readonly current: boolean };
}

function Designer({ props, editing, leaving }: DesignerProps) {
  const { namespace, current, readOnly = false, task, onTask, running, onRunning } = props;
  const design = useDesign(editing);
  const view = useDesignView();
  const run = useRunOverlay(namespace, task === '' ? undefined : task, design.model);
  const canvas = useRef<GraphHandle | undefined>(undefined);
  const { follows, setFollows } = useCamera(run, canvas);
  const name = current?.metadata.name ?? '';
  return (
    <>
      <LeaveGuard dirty={editing.dirty} leaving={leaving} />
      {run && <RunBar namespace={namespace} task={task} run={run} follows={follows} onFollow={setFollows} onStop={() => onTask('')} />}
      <DesignTab
        namespace={current === undefined ? homeOf(design.value, namespace) : namespace}
        name={name === '' ? nameOf(design.value) : name}
        isNew={current === undefined}
        design={design}
        view={view}
        overlay={run?.overlay}
        readOnly={readOnly || editing.readOnly}
        onSave={editing.review}
        diagnostics={editing.diagnostics}
        onCanvas={(handle) => (canvas.current = handle)}
      />
      <RunDialog
        open={running && current !== undefined}
        onClose={() => onRunning(false)}
        namespace={namespace}
        system={name}
        cycle={design.model.cycle}
        unsaved={editing.dirty}
        onStarted={(started) => {
          onRunning(false);
          onTask(started);
        }}
      />
    </>
  );
}

export function SystemDesigner(props: SystemDesignerProps) {
  const { namespace, current, initialText, onApplied } = props;
  const name = current?.metadata.name;
  const target = useMemo(() => ({ kind: 'AgentSystem', namespace, name }), [namespace, name]);
  const leaving = useRef(false);
  const applied = (resource: Resource) => {
    leaving.current = current === undefined;
    onApplied(resource);
  };
  return (
    <ApplyFlow target={target} current={current} {...(initialText !== undefined && { initialText })} onApplied={applied}>
      {(editing) => <Designer props={props} editing={editing} leaving={leaving} />}
    </ApplyFlow>
  );
}
