// How an agent with several sources collects its input, described in a sentence while it is edited.
import { Field } from '../../../ui/input/Field.tsx';
import { Input } from '../../../ui/input/Input.tsx';
import { SegmentedControl } from '../../../ui/input/SegmentedControl.tsx';
import { Select } from '../../../ui/input/Select.tsx';
import { joinSentence } from '../../../graph/accessible-text.ts';
import { joinView, type SystemNode } from '../../../graph/system-graph.ts';
import type { JoinFailure, JoinRead } from '../../../graph/read-system.ts';
import { setJoin } from '../document/commands.ts';
import type { Design } from '../document/use-design.ts';

export interface JoinEditorProps {
  readonly node: SystemNode;
  readonly design: Design;
  readonly readOnly: boolean;
}

type Mode = 'all' | 'count' | 'percent';

const DEFAULT: JoinRead = { mode: 'wait_for_all', quorum_count: 0, quorum_percent: 0, on_failure: 'deadletter' };
const FAILURES = [
  { value: 'deadletter', label: 'End the run as a dead letter' },
  { value: 'skip', label: 'Skip the failed source' },
  { value: 'continue_partial', label: 'Continue with the results so far' },
] as const;
const MODES = [
  { value: 'all', label: 'All' },
  { value: 'count', label: 'A number' },
  { value: 'percent', label: 'A share' },
] as const;

function modeOf({ mode, quorum_count: count }: JoinRead): Mode {
  return mode !== 'quorum' ? 'all' : count > 0 ? 'count' : 'percent';
}

export function JoinEditor({ node, design, readOnly }: JoinEditorProps) {
  const join = design.system.graph?.[node.id]?.join ?? DEFAULT;
  const mode = modeOf(join);
  const expected = node.sources.length;
  const view = joinView(join, expected);
  const set = (next: JoinRead) => design.run(`Change the join of ${node.id}`, (text) => setJoin(text, node.id, next), `join ${node.id}`);
  const turn = (next: Mode) =>
    set({
      ...join,
      mode: next === 'all' ? 'wait_for_all' : 'quorum',
      quorum_count: next === 'count' ? Math.max(1, Math.min(expected, join.quorum_count || Math.ceil(expected / 2))) : 0,
      quorum_percent: next === 'percent' ? join.quorum_percent || 60 : 0,
    });
  const number = (text: string, max: number) => Math.max(1, Math.min(max, Math.trunc(Number(text)) || 1));
  return (
    <section aria-label="Join" className="flex flex-col gap-3 rounded-lg border border-border p-3">
      <p role="status" className="text-base">
        <strong className="font-semibold">{node.id}</strong> {view ? joinSentence(view) : 'has no sources to wait for'}.
      </p>
      <SegmentedControl label="Waits for" value={mode} segments={MODES} disabled={readOnly} onChange={turn} />
      {mode === 'count' && (
        <Field label="Sources" hint={`Of ${expected}: ${node.sources.join(', ')}`}>
          <Input
            type="number"
            min={1}
            max={expected}
            disabled={readOnly}
            value={join.quorum_count}
            onChange={(event) => set({ ...join, quorum_count: number(event.target.value, 1000) })}
          />
        </Field>
      )}
      {mode === 'percent' && (
        <Field label="Percent of sources" hint={view && `${join.quorum_percent} % of ${expected} is ${view.needed}`}>
          <Input
            type="number"
            min={1}
            max={100}
            disabled={readOnly}
            value={join.quorum_percent}
            onChange={(event) => set({ ...join, quorum_percent: number(event.target.value, 100) })}
          />
        </Field>
      )}
      <Field label="When a source fails">
        <Select
          disabled={readOnly}
          value={join.on_failure}
          options={FAILURES}
          onChange={(next) => set({ ...join, on_failure: next as JoinFailure })}
        />
      </Field>
      <p className="text-sm text-muted">
        The join does not wait for a source that the run can no longer reach, because it took another connection.
      </p>
    </section>
  );
}
