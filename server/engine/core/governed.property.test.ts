// Invariants of every call under any verdict of governance and people, changed at any time, with a crash at any moment.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, CRASH_STRIDE, firstCrash, resultOf } from '../../testing/run-cases.ts';
import { simulate, type Simulation, type World } from '../../testing/simulate-run.ts';
import type { ApprovalVerdict, Entry } from './entries.ts';
import { fromJournal, toJournal } from './entries.ts';
import type { RunSnapshot } from './snapshot.ts';
import type { CallRuling } from './verdicts.ts';

const rule = { kind: 'ToolPermission', namespace: 'default', name: 'p' };
const allow: CallRuling = { verdict: 'allow', rule, findings: [] };
const ask: CallRuling = {
  verdict: 'approval_required',
  operation: 'write',
  ttlMs: 60_000,
  reason: 'asked',
  rule,
  askedBy: [],
  findings: [],
};
const deny: CallRuling = {
  verdict: 'deny',
  code: 'permission_denied',
  reason: 'tool_permission',
  message: 'denied',
  rule,
  findings: [],
};

const rulings = fc.oneof({ weight: 6, arbitrary: fc.constant(allow) }, { weight: 4, arbitrary: fc.constant(ask) }, fc.constant(deny));
const record = { decision_record: 7, call_hash: 'sha256:x' };
const words = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Omit<ApprovalVerdict, 'name'>>({ decision: 'approved', ...record }) },
  { weight: 2, arbitrary: fc.constant<Omit<ApprovalVerdict, 'name'>>({ decision: 'approved', edited_input: { n: 'edited' }, ...record }) },
  fc.constantFrom<Omit<ApprovalVerdict, 'name'>>({ decision: 'denied' }, { decision: 'expired' }, { decision: 'approved' }),
);

interface Watched extends Simulation {
  /** The last ruling on each call in this process. */
  readonly ruled: ReadonlyMap<string, CallRuling>;
}

interface Draws {
  readonly rulings: Iterator<CallRuling>;
  readonly words: Iterator<Omit<ApprovalVerdict, 'name'>>;
  readonly picks: Iterator<number>;
}

function watch(snapshot: RunSnapshot, world: World, { draws, journal }: { draws: Draws; journal?: readonly Entry[] }): Watched {
  const ruled = new Map<string, CallRuling>();
  const judge: World['judge'] = ({ key }) => {
    const ruling = draws.rulings.next().value as CallRuling;
    ruled.set(key, ruling);
    return ruling;
  };
  const person: World['person'] = ({ reason }) =>
    reason === 'policy' ? (draws.words.next().value as ApprovalVerdict) : { decision: 'approved', outcome: 'run_again' };
  const run = simulate(snapshot, {
    world: { ...world, judge, person },
    pick: () => draws.picks.next().value as number,
    ...(journal && { journal }),
  });
  return { ...run, ruled };
}

const approvedIn = (journal: readonly Entry[]) =>
  new Set(
    journal.flatMap((entry) =>
      entry.type === 'approval.resolved' && entry.data.reason === 'policy' && entry.data.decision === 'approved'
        ? [entry.data.request_id]
        : [],
    ),
  );
const endedIn = (journal: readonly Entry[]) =>
  new Set(
    journal.flatMap(({ type, data }) =>
      ['tool.completed', 'tool.failed'].includes(type) && 'request_id' in data ? [data.request_id] : [],
    ),
  );
const modelIds = (journal: readonly Entry[]) =>
  new Set(journal.flatMap((entry) => (entry.type === 'model.requested' ? [entry.data.request_id] : [])));

/** Every call that went out had been let through in this process, or by a person; none went out twice. */
function checkCalls({ journal, performed, ruled, state }: Watched, before: readonly Entry[]): void {
  const models = modelIds(journal);
  const tools = performed.filter((id) => !models.has(id));
  const approved = approvedIn(journal);
  const letThrough = (id: string) =>
    ruled.get(id)?.verdict === 'allow' || (ruled.get(id)?.verdict === 'approval_required' && approved.has(id));
  expect(tools.filter((id) => !letThrough(id))).toEqual([]);
  expect(new Set(tools).size).toBe(tools.length);
  const ended = endedIn(before);
  expect(tools.filter((id) => ended.has(id))).toEqual([]);
  expect(resultOf(journal)).toBeDefined();
  expect([...state.approvals.values()].filter(({ open }) => open)).toEqual([]);
}

/** Every approved call ran with the approved input, and the model received a changed one. */
function checkEdits({ journal }: Watched): void {
  const verdicts = new Map(
    journal.flatMap((entry) => (entry.type === 'approval.resolved' ? [[entry.data.name, entry.data] as const] : [])),
  );
  const asked = new Map(journal.flatMap((entry) => (entry.type === 'approval.requested' ? [[entry.data.name, entry.data] as const] : [])));
  for (const entry of journal) {
    if (entry.type !== 'tool.requested' || !entry.data.approved) continue;
    const { name, edited } = entry.data.approved;
    const verdict = verdicts.get(name);
    expect(edited).toBe(verdict?.edited_input !== undefined);
    expect(entry.data.input).toEqual(verdict?.edited_input ?? asked.get(name)?.input);
  }
}

test('every call is allowed or approved, and sent at most once, after a crash at any entry', () => {
  fc.assert(
    fc.property(
      cases,
      fc.infiniteStream(rulings),
      fc.infiniteStream(words),
      fc.infiniteStream(fc.nat(20)),
      firstCrash,
      ({ snapshot, world }, judged, said, picks, first) => {
        const draws: Draws = { rulings: judged, words: said, picks };
        const whole = watch(snapshot, world, { draws });
        checkCalls(whole, []);
        checkEdits(whole);
        for (let cut = first; cut < whole.journal.length; cut += CRASH_STRIDE) {
          const prefix = whole.journal.slice(0, cut).map((entry) => fromJournal(JSON.parse(JSON.stringify(toJournal(entry)))));
          const resumed = watch(snapshot, world, { draws, journal: prefix });
          checkCalls(resumed, prefix);
          checkEdits(resumed);
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('a run with a denied call ends as Failed, and after the denial its turn begins nothing more', () => {
  fc.assert(
    fc.property(
      cases,
      fc.infiniteStream(rulings),
      fc.infiniteStream(words),
      fc.infiniteStream(fc.nat(20)),
      ({ snapshot, world }, judged, said, picks) => {
        const { journal, state } = watch(snapshot, world, { draws: { rulings: judged, words: said, picks } });
        const denied = journal.findIndex((entry) => entry.type === 'tool.failed' && entry.data.code === 'permission_denied');
        if (denied < 0) return;
        expect(state.end).toMatchObject({ phase: 'Failed' });
        const turn = (journal[denied]?.data as { turn_id: string }).turn_id;
        const later = journal
          .slice(denied)
          .filter(({ type, data }) => type === 'tool.requested' && 'turn_id' in data && data.turn_id === turn);
        expect(later).toEqual([]);
      },
    ),
  );
});
