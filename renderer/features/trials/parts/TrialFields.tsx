// Fields of a trial: the part of the system that runs, breakpoints and outputs by agent, and the deadline.
import { BREAKPOINT_WAIT_DEFAULT, BREAKPOINT_WAIT_MAX } from '@svc/shared/kinds/task/trial-limits';
import { CircleAlert, Trash2 } from 'lucide-react';
import { Checkbox } from '../../../ui/input/Checkbox.tsx';
import { Field } from '../../../ui/input/Field.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { Textarea } from '../../../ui/input/Textarea.tsx';
import {
  pinOf,
  stopsAt,
  toggleStop,
  waitProblem,
  WHOLE,
  withoutNode,
  withoutPin,
  withPin,
  type TrialDraft,
  type TrialScope,
} from '../model/trial-draft.ts';
import type { EarlierRuns } from '../model/use-earlier-runs.ts';

export interface TrialFieldsProps {
  /** Agents of the system, in its order. */
  readonly nodes: readonly string[];
  /** Earlier runs of the system. */
  readonly runs: EarlierRuns;
  readonly draft: TrialDraft;
  readonly onDraft: (draft: TrialDraft) => void;
  readonly scope: TrialScope;
  readonly onScope: (scope: TrialScope) => void;
}

const NONE = { value: '', label: 'None: with the input above' };
const choice = (value: string) => ({ value, label: value });

export function TrialFields(props: TrialFieldsProps) {
  const { draft, onDraft, nodes } = props;
  const known = new Set(nodes);
  const named = [...draft.breakpoints, ...draft.pins].map(({ node }) => node);
  const lost = [...new Set(named)].filter((node) => !known.has(node));
  return (
    <div className="flex flex-col gap-4">
      <ScopeFields {...props} />
      <div className="max-h-72 overflow-auto rounded-md border border-border">
        <table className="w-full border-collapse text-left">
          <caption className="sr-only">Breakpoints and outputs by agent</caption>
          <thead className="sticky top-0 z-10 bg-sunken text-sm text-muted">
            <tr>
              {['Agent', 'Break before', 'Break after', 'Output'].map((title) => (
                <th key={title} scope="col" className="px-2.5 py-1.5 font-medium whitespace-nowrap">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {nodes.map((node) => (
              <NodeRow key={node} {...props} node={node} />
            ))}
            {lost.map((node) => (
              <LostRow key={node} node={node} onRemove={() => onDraft(withoutNode(draft, node))} />
            ))}
          </tbody>
        </table>
      </div>
      {draft.breakpoints.length > 0 && (
        <Field
          label="Deadline of a breakpoint"
          hint={`How long the run waits for a person before it fails. ${BREAKPOINT_WAIT_DEFAULT} when empty, at most ${BREAKPOINT_WAIT_MAX}.`}
          error={waitProblem(draft.wait)}
        >
          <Input
            mono
            placeholder={BREAKPOINT_WAIT_DEFAULT}
            value={draft.wait}
            onChange={(event) => onDraft({ ...draft, wait: event.target.value })}
          />
        </Field>
      )}
    </div>
  );
}

const PARTS = [
  { value: 'whole', label: 'The whole system' },
  { value: 'from', label: 'From one agent on' },
  { value: 'only', label: 'Only one agent' },
];

function scopeText(scope: TrialScope): string {
  if (scope.part === 'from') return `Recorded results replace the agents before ${scope.node}. It and the agents after it run.`;
  if (scope.part === 'whole') return '';
  return scope.task === ''
    ? `${scope.node} runs alone, with the input above.`
    : `${scope.node} runs alone, with the messages that it received in the recorded run. Pins have no effect.`;
}

function ScopeFields({ nodes, runs, scope, onScope }: TrialFieldsProps) {
  const part = (value: string) => {
    const node = scope.part === 'whole' ? (nodes[0] ?? '') : scope.node;
    const task = scope.part === 'whole' ? runs.best : scope.task;
    if (value === 'only') onScope({ part: 'only', node, task });
    else onScope(value === 'from' ? { part: 'from', node, task: task === '' ? runs.best : task } : WHOLE);
  };
  const listed = scope.part === 'whole' || scope.task === '' || runs.names.includes(scope.task) ? runs.names : [scope.task, ...runs.names];
  return (
    <div className="flex flex-col gap-1">
      <div className="grid grid-cols-3 gap-3 max-sm:grid-cols-1">
        <Field label="Runs">
          <Select
            value={scope.part}
            options={PARTS.map((each) => ({ ...each, disabled: each.value === 'from' && runs.best === '' }))}
            onChange={part}
          />
        </Field>
        {scope.part !== 'whole' && (
          <>
            <Field label="Agent">
              <Select value={scope.node} options={nodes.map(choice)} onChange={(node) => onScope({ ...scope, node })} />
            </Field>
            <Field label="Recorded run">
              <Select
                value={scope.task}
                options={[...(scope.part === 'only' ? [NONE] : []), ...listed.map(choice)]}
                onChange={(task) => onScope({ ...scope, task })}
              />
            </Field>
          </>
        )}
      </div>
      {scope.part !== 'whole' && <p className="text-sm text-pretty text-muted">{scopeText(scope)}</p>}
    </div>
  );
}

const RUNS = 'runs';
const TEXT = 'text';
const FROM = 'from ';

function NodeRow({ node, runs, draft, onDraft, scope }: TrialFieldsProps & { readonly node: string }) {
  const pin = pinOf(draft, node);
  const value = pin === undefined ? RUNS : pin.task === undefined ? TEXT : `${FROM}${pin.task}`;
  const reused = pin?.task === undefined || runs.names.includes(pin.task) ? runs.names : [pin.task, ...runs.names];
  const turn = (next: string) => {
    if (next === RUNS) onDraft(withoutPin(draft, node));
    else if (next === TEXT) onDraft(withPin(draft, { node, output: pin?.output ?? '' }));
    else onDraft(withPin(draft, { node, task: next.slice(FROM.length) }));
  };
  const stop = (at: 'before' | 'after') => (
    <td className="px-2.5 py-1">
      <span className="flex">
        <Checkbox
          aria-label={`Break ${at} ${node}`}
          checked={stopsAt(draft, node, at)}
          onChange={() => onDraft(toggleStop(draft, node, at))}
        />
      </span>
    </td>
  );
  return (
    <>
      <tr className="border-t border-border/60">
        <th scope="row" className="max-w-40 truncate px-2.5 py-1 font-normal" title={node}>
          {node}
        </th>
        {stop('before')}
        {stop('after')}
        <td className="w-1/2 px-2.5 py-1">
          <Select
            aria-label={`Output of ${node}`}
            value={value}
            disabled={scope.part === 'only'}
            options={[
              { value: RUNS, label: 'Runs' },
              { value: TEXT, label: 'Pinned text' },
              ...reused.map((task) => ({ value: `${FROM}${task}`, label: `Reused from ${task}` })),
            ]}
            onChange={turn}
          />
        </td>
      </tr>
      {pin?.output !== undefined && scope.part !== 'only' && (
        <tr>
          <td colSpan={4} className="px-2.5 pb-2">
            <Textarea
              dir="auto"
              rows={2}
              aria-label={`Pinned output of ${node}`}
              placeholder="Replaces every turn of the agent"
              value={pin.output}
              onChange={(event) => onDraft(withPin(draft, { node, output: event.target.value }))}
            />
          </td>
        </tr>
      )}
    </>
  );
}

function LostRow({ node, onRemove }: { readonly node: string; readonly onRemove: () => void }) {
  return (
    <tr className="border-t border-border/60">
      <th scope="row" className="max-w-40 truncate px-2.5 py-1 font-normal" title={node}>
        {node}
      </th>
      <td colSpan={3} className="px-2.5 py-1">
        <span className="flex items-center gap-1.5 text-danger">
          <CircleAlert aria-hidden className="size-3.5 shrink-0" />
          <span className="flex-1">No longer in the system</span>
          <IconButton size="sm" label={`Remove ${node} from the trial`} icon={<Trash2 />} onClick={onRemove} />
        </span>
      </td>
    </tr>
  );
}
