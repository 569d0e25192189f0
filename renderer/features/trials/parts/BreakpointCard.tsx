// Breakpoints where a run waits: the text that waits, to be changed, and the buttons that continue or end the run.
import { CirclePause, Play, Undo2 } from 'lucide-react';
import { useCallback, useId, useRef, useState, type RefObject } from 'react';
import { useCanWrite } from '../../../sign-in/can-write.ts';
import { useShortcut } from '../../../shortcuts/use-shortcut.ts';
import { announce } from '../../../ui/feedback/announcer.ts';
import { Badge } from '../../../ui/status/Badge.tsx';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { cn } from '../../../ui/cn.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Countdown } from '../../../ui/status/Countdown.tsx';
import { ErrorCard } from '../../../ui/feedback/ErrorCard.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { formatDateTime } from '../../../ui/status/format.ts';
import { Kbd } from '../../../ui/text/Kbd.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import { useTimeMode } from '../../../ui/status/time-mode.ts';
import { hasEnded, type Run } from '../../runs/model/run.ts';
import type { RunTrace } from '../../trace/model/use-run-trace.ts';
import { leftSentence, stopsOf, type Stop } from '../model/stops.ts';
import { useContinue, type Continuing } from '../model/use-continue.ts';
import { useStopEdits } from '../model/use-stop-edits.ts';
import { EndDialog } from './EndDialog.tsx';

export interface BreakpointCardProps {
  readonly run: Run;
  readonly trace: RunTrace;
  readonly deleted?: boolean;
  /** Its keys apply on the whole page, and otherwise only inside of it. */
  readonly ownsPage?: boolean;
  /** For a low pane: the buttons are above the text. */
  readonly compact?: boolean;
  readonly className?: string;
}

/** Nothing while the run waits at no breakpoint and no changed text is left. */
export function BreakpointCard(props: BreakpointCardProps) {
  const { run, trace, className } = props;
  const root = useRef<HTMLDivElement>(null);
  const [edits, setEdit] = useStopEdits(run.metadata.uid);
  const [chosen, setChosen] = useState('');
  const all = trace.version >= 0 ? stopsOf(trace.store, run.spec.trial?.wait) : [];
  const shown = all.filter(({ id, left }) => (left === undefined && !hasEnded(run)) || edits.has(id));
  const continuing = useContinue(run, ({ stop, end }) => {
    setEdit(stop.id, undefined);
    announce(end === undefined ? `Continued at ${stop.agent}` : 'The run was ended');
    root.current?.focus();
  });
  const stop = shown.find(({ id }) => id === chosen) ?? shown[0];
  return (
    <div ref={root} tabIndex={-1} className={cn('shrink-0 outline-none', stop && className)}>
      {stop && (
        <section
          aria-label="Breakpoint"
          className={cn(
            'flex min-w-0 flex-col rounded-lg border border-waiting/50 bg-surface shadow-raised',
            props.compact ? 'gap-2 px-3 py-2.5' : 'gap-3 p-4',
          )}
        >
          {shown.length > 1 && (
            <SegmentedControl
              label="Breakpoints"
              value={stop.id}
              segments={shown.map(({ id, agent, place }) => ({ value: id, label: `${place} ${agent}` }))}
              onChange={setChosen}
            />
          )}
          <StopPanel key={stop.id} {...props} stop={stop} edits={[edits.get(stop.id), setEdit]} continuing={continuing} root={root} />
        </section>
      )}
    </div>
  );
}

interface StopPanelProps extends BreakpointCardProps {
  readonly stop: Stop;
  readonly edits: readonly [string | undefined, (stop: string, text: string | undefined) => void];
  readonly continuing: Continuing;
  readonly root: RefObject<HTMLElement | null>;
}

const PLACES = {
  before: {
    label: (agent: string) => `Message to ${agent}`,
    held: (agent: string) => `${agent} starts with this message once you continue.`,
  },
  after: { label: (agent: string) => `Output of ${agent}`, held: () => 'It is handed over once you continue.' },
} as const;

function StopPanel(props: StopPanelProps) {
  const { run, stop, deleted = false, compact = false, edits, continuing } = props;
  const [edited, setEdit] = edits;
  const [ending, setEnding] = useState(false);
  const { reason } = useCanWrite();
  const titleId = useId();
  const gone = stop.left !== undefined || hasEnded(run);
  const changed = edited !== undefined && edited !== stop.text;
  const busy = continuing.busy(stop);
  const blocked = deleted ? 'The run was deleted' : reason;
  const words = PLACES[stop.place];
  const error = continuing.errorOf(stop);
  const send = (text?: string) => continuing.send({ stop, ...(text !== undefined && { text }) });
  useStopKeys(props, !gone && !busy && blocked === undefined, {
    onContinue: () => send(changed ? edited : undefined),
    onEnd: () => setEnding(true),
  });
  const buttons = !gone && (
    <StopButtons
      {...{ changed, busy, blocked }}
      onContinue={() => send()}
      onChanged={() => send(edited)}
      onUndo={() => setEdit(stop.id, undefined)}
      onEnd={() => setEnding(true)}
    />
  );
  return (
    <>
      <header className="flex flex-wrap items-start gap-x-4 gap-y-1">
        <CirclePause aria-hidden className="mt-0.5 size-5 shrink-0 text-waiting" />
        <div className="min-w-0 flex-1 basis-72">
          <h2 id={titleId} className="text-md font-semibold [overflow-wrap:anywhere]">
            {gone ? `Left the breakpoint ${stop.place} ${stop.agent}` : `Waits ${stop.place} ${stop.agent}`}
          </h2>
          {!gone && (
            <p className="text-pretty text-muted">
              {words.held(stop.agent)} <Deadline until={stop.until} />
            </p>
          )}
        </div>
        {!gone && <Countdown until={stop.until} label={`The breakpoint ${stop.place} ${stop.agent}`} />}
      </header>
      {compact && buttons}
      {gone && <Gone stop={stop} text={edited ?? ''} onDiscard={() => setEdit(stop.id, undefined)} />}
      <Field
        label={words.label(stop.agent)}
        aside={changed && <Badge tone="info">Changed</Badge>}
        {...(stop.cut && { hint: 'Only the first 64 KiB are shown. Continue passes all of it on; a change replaces all of it.' })}
      >
        <Textarea
          dir="auto"
          rows={4}
          className="max-h-[34vh]"
          readOnly={gone || busy || blocked !== undefined}
          value={edited ?? stop.text}
          onChange={(event) => setEdit(stop.id, event.target.value === stop.text ? undefined : event.target.value)}
        />
      </Field>
      {error !== undefined && <ErrorCard title="The run was not continued" error={error} />}
      {!compact && buttons}
      {ending && <EndDialog run={run} stop={stop} continuing={continuing} onClose={() => setEnding(false)} />}
    </>
  );
}

interface StopButtonsProps {
  readonly changed: boolean;
  readonly busy: boolean;
  readonly blocked: string | undefined;
  readonly onContinue: () => void;
  readonly onChanged: () => void;
  readonly onUndo: () => void;
  readonly onEnd: () => void;
}

function StopButtons({ changed, busy, blocked, onContinue, onChanged, onUndo, onEnd }: StopButtonsProps) {
  return (
    <div className="flex flex-wrap items-center gap-2">
      {busy && (
        <span role="status" className="text-sm text-muted">
          Sent. The run continues once a worker claims it.
        </span>
      )}
      {changed && !busy && (
        <Button variant="ghost" icon={<Undo2 />} onClick={onUndo}>
          Undo changes
        </Button>
      )}
      <span className="flex-1" />
      <Button variant="danger-quiet" disabledReason={blocked} disabled={busy} onClick={onEnd}>
        End the run
      </Button>
      <Button
        variant={changed ? 'secondary' : 'primary'}
        icon={<Play />}
        busy={busy && !changed}
        disabledReason={blocked}
        onClick={onContinue}
        {...(changed && { title: 'With the text as it was' })}
      >
        Continue
        {!changed && <Kbd hint keys="mod+enter" />}
      </Button>
      <Button
        variant={changed ? 'primary' : 'secondary'}
        icon={<Play />}
        busy={busy && changed}
        disabledReason={blocked ?? (changed ? undefined : 'Change the text first')}
        onClick={onChanged}
      >
        Continue with changes
        {changed && <Kbd hint keys="mod+enter" />}
      </Button>
    </div>
  );
}

function Deadline({ until }: { readonly until: number }) {
  const mode = useTimeMode();
  return <>If nobody does by {formatDateTime(until, mode === 'utc' ? 'UTC' : 'local')}, the run ends as failed.</>;
}

interface GoneProps {
  readonly stop: Stop;
  readonly text: string;
  readonly onDiscard: () => void;
}

/** The wait is over, and a changed text was not sent. */
function Gone({ stop, text, onDiscard }: GoneProps) {
  return (
    <Banner
      tone="warn"
      className="rounded-md"
      action={
        <>
          <CopyButton words label="Copy my text" text={text} />
          <Button size="sm" onClick={onDiscard}>
            Discard
          </Button>
        </>
      }
    >
      {leftSentence(stop) || 'The run ended.'} Your text was not sent; it is kept here until you discard it.
    </Banner>
  );
}

interface StopActs {
  readonly onContinue: () => void;
  readonly onEnd: () => void;
}

function useStopKeys({ ownsPage = false, root }: StopPanelProps, when: boolean, { onContinue, onEnd }: StopActs): void {
  // Chords reach the page from an open dialog too, whose own keys they are.
  const applies = useCallback(() => {
    const onPage = document.activeElement?.closest('[role="dialog"], [role="alertdialog"]') == null;
    return onPage && (ownsPage || root.current?.contains(document.activeElement) === true);
  }, [ownsPage, root]);
  const group = 'Breakpoint';
  useShortcut({ id: 'trial.continue', keys: 'mod+enter', label: 'Continue at the breakpoint', group, when, applies, run: onContinue });
  useShortcut({ id: 'trial.end', label: 'End the run at the breakpoint…', group, when, run: onEnd });
}
