// The state codec against folding: a state that was encoded and decoded at any entry folds on to the same end.
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases, reviewedCases, type Case } from '../../testing/run-cases.ts';
import { agentSnapshot, runSnapshot, simulate, toolSnapshot } from '../../testing/simulate-run.ts';
import type { Entry } from './entries.ts';
import { STATE_MAX_BYTES } from './limits.ts';
import { applyEntry } from './apply-entry.ts';
import { entryHandOvers } from './routing.ts';
import { decodeState, encodeState } from './state-codec.ts';
import { newRunState, type RunState } from './state.ts';

function fold(entries: readonly Entry[], state = newRunState()): RunState {
  for (const entry of entries) applyEntry(state, entry);
  return state;
}

/** The plan is functions over the snapshot, which is compared. */
const withoutPlan = ({ attempt, ...rest }: RunState) => ({ ...rest, attempt: attempt && { ...attempt, plan: undefined } });

/** Calls of unknown outcome need approvals, so that the state holds some. */
const risky = ({ snapshot, world }: Case): Case => {
  const tools = { tool: toolSnapshot('tool', { type: 'http', risk_level: 'high' }) };
  return { snapshot: { ...snapshot, tools }, world };
};

interface Drawn {
  readonly journal: readonly Entry[];
  readonly cut: number;
}

/** A whole journal, crashed once where its calls are risky, with a pause somewhere in it. */
const journals: fc.Arbitrary<Drawn> = fc
  .record({
    made: fc.oneof(cases, reviewedCases, cases.map(risky)),
    picks: fc.infiniteStream(fc.nat(20)),
    crash: fc.nat(200),
    pause: fc.tuple(fc.nat(200), fc.nat(20)),
    cut: fc.nat(400),
  })
  .map(({ made: { snapshot, world }, picks, crash, pause, cut }) => {
    const pick = () => picks.next().value as number;
    const whole = simulate(snapshot, { world, pick }).journal;
    const { journal } = simulate(snapshot, { world, pick, journal: whole.slice(0, 1 + (crash % whole.length)) });
    const from = 1 + (pause[0] % journal.length);
    const at = journal[from - 1]?.at ?? 0;
    const paused = journal.toSpliced(from, 0, { type: 'run.paused', at, data: { by: 'ann', reason: '' } });
    const to = Math.min(paused.length, from + 1 + pause[1]);
    const resumed = paused.toSpliced(to, 0, { type: 'run.resumed', at: paused[to - 1]?.at ?? at, data: { by: 'ann' } });
    return { journal: resumed, cut: cut % (resumed.length + 1) };
  });

test('decoding an encoded state and folding the rest gives the state of the whole journal', () => {
  fc.assert(
    fc.property(journals, ({ journal, cut }) => {
      const whole = fold(journal);
      const decoded = decodeState(encodeState(fold(journal.slice(0, cut))));
      expect(withoutPlan(decoded)).toEqual(withoutPlan(fold(journal.slice(0, cut))));
      const continued = fold(journal.slice(cut), decoded);
      expect(withoutPlan(continued)).toEqual(withoutPlan(whole));
      expect(encodeState(continued).sha256).toBe(encodeState(whole).sha256);
    }),
    { numRuns: 80 },
  );
});

test('equal states have equal bytes, even after a round trip', () => {
  fc.assert(
    fc.property(journals, ({ journal, cut }) => {
      const encoded = encodeState(fold(journal.slice(0, cut)));
      expect(encodeState(fold(journal.slice(0, cut))).sha256).toBe(encoded.sha256);
      expect(encodeState(decodeState(encoded)).sha256).toBe(encoded.sha256);
    }),
    { numRuns: 50 },
  );
});

const started = (prompt: string): RunState => {
  const snapshot = runSnapshot({ agents: [agentSnapshot('writer', { prompt })] });
  return fold([{ type: 'run.started', at: 0, data: { attempt: 1, snapshot, hand_overs: entryHandOvers(snapshot, 1) } }]);
};

test('the hash is the SHA-256 of the bytes; a state that was changed is refused', () => {
  const { bytes, sha256 } = encodeState(newRunState());
  expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  const changed = new TextEncoder().encode(new TextDecoder().decode(bytes).replace('"attempts":0', '"attempts":9'));
  expect(() => decodeState({ bytes: changed, sha256 })).toThrow('does not match its hash');
});

test('a state of another version is refused by its version', () => {
  const bytes = new TextEncoder().encode('{"state":{},"version":7}');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  expect(() => decodeState({ bytes, sha256 })).toThrow('has version 7; this program reads version 1');
});

test('a state of more than 4 MiB is refused with its size and the limit', () => {
  expect(encodeState(started('x'.repeat(1_000))).bytes.length).toBeLessThan(STATE_MAX_BYTES);
  let problem: unknown;
  try {
    encodeState(started('é'.repeat(STATE_MAX_BYTES / 2)));
  } catch (error) {
    problem = error;
  }
  expect(problem).toMatchObject({
    code: 'too_large',
    message: expect.stringMatching(/^the state of the run has \d+ bytes; at most 4194304 can be kept$/) as string,
  });
});
