// Routing of a turn's output: matching routes, branches and messages (docs/systems.md).
import { isObject } from '@svc/shared/json';
import { isTooLongToMatch, patternFinds } from '@svc/shared/graph/output-pattern';
import type { HandOver } from './entries.ts';
import { childBranchId, messageId, messageKey, rootBranchId, type MessagePlace } from './ids.ts';
import type { Route, RunSnapshot } from './snapshot.ts';
import type { AttemptState, TurnState } from './state.ts';

export type Labels = Readonly<Record<string, string>>;

export interface TurnResult {
  readonly failed: boolean;
  readonly output: string;
  readonly labels: Labels;
}

/** Nodes the result goes to, each once however many of its routes match. */
function targetsTaken(routes: readonly Route[], result: TurnResult): string[] {
  const taken = routes.filter((route) => conditionHolds(route, result) && labelsMatch(route.labels, result.labels));
  return [...new Set(taken.map(({ to }) => to))];
}

/** Whether the conditions of these routes take too long on this output to be matched by the engine itself. */
export function isTooLongToRoute(routes: readonly Route[], output: string): boolean {
  const patterns = routes.flatMap(({ condition }) => (condition.kind === 'output_matches' ? [condition.pattern] : []));
  return isTooLongToMatch(patterns, output);
}

function conditionHolds({ condition }: Route, result: TurnResult): boolean {
  switch (condition.kind) {
    case 'always':
      return true;
    case 'on_error':
      return result.failed;
    case 'success':
      return !result.failed;
    case 'output_matches':
      return !result.failed && patternFinds(condition.pattern, result.output);
  }
}

function labelsMatch(wanted: Labels, carried: Labels): boolean {
  return Object.entries(wanted).every(([key, value]) => carried[key] === value);
}

/** A longer line cannot choose a route. */
const LABELS_MAX_CHARS = 16 * 1024;

/** The labels an output carries in its last line: `{"route":"x"}` sets `route=x`, `{"route":{…}}` sets those. */
export function outputLabels(output: string): Labels {
  const line = output.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (!line.startsWith('{') || !line.endsWith('}') || line.length > LABELS_MAX_CHARS) return {};
  try {
    const parsed: unknown = JSON.parse(line);
    return isObject(parsed) ? routeLabels(parsed['route']) : {};
  } catch {
    return {};
  }
}

/** Labels from a `route` value, of an output or of the tool `route.choose`. */
export function routeLabels(route: unknown): Labels {
  if (typeof route === 'string') return { route };
  if (!isObject(route)) return {};
  const entries = Object.entries(route).filter(
    ([, value]) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean',
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}

export function turnsExhausted(attempt: AttemptState, turn: TurnState): boolean {
  const { maxTurns } = attempt.snapshot.task;
  return maxTurns > 0 && turn.depth >= maxTurns;
}

/** Whether max_turns ends the branch at this turn although a route leads on. */
export function isCutShort(attempt: AttemptState, turn: TurnState, result: TurnResult): boolean {
  return turnsExhausted(attempt, turn) && targetsTaken(attempt.plan.routes(turn.agent.name), result).length > 0;
}

const ROUTE_IN_TEXT = /\{\s*"route"\s*:/;

export const haveLabels = (routes: readonly Route[]): boolean => routes.some(({ labels }) => Object.keys(labels).length > 0);

/** Whether an output without labels holds a route that is not alone on the last line, where labels choose the routes. */
export const hasIgnoredRoute = (routes: readonly Route[], output: string): boolean => haveLabels(routes) && ROUTE_IN_TEXT.test(output);

/** Messages that a turn hands over. A single route continues in the same branch, several create child branches. */
export function handOvers(attempt: AttemptState, turn: TurnState, result: TurnResult): HandOver[] {
  if (turnsExhausted(attempt, turn)) return [];
  const targets = targetsTaken(attempt.plan.routes(turn.agent.name), result);
  const childrenBefore = attempt.children.get(turn.branchId) ?? 0;
  return targets.map((to, index) => {
    const branching = targets.length > 1;
    const branchId = branching ? childBranchId(turn.branchId, childrenBefore + index + 1) : turn.branchId;
    return {
      ...identify(attempt.snapshot, {
        attempt: attempt.number,
        branchId,
        from: turn.agent.name,
        to,
        depth: turn.depth + 1,
        round: attempt.round,
      }),
      to_agent: to,
      branch_id: branchId,
      ...(branching && { parent_branch_id: turn.branchId }),
      depth: turn.depth + 1,
    };
  });
}

/** The messages that start a run's entry agents, each in a root branch of its own. */
export function entryHandOvers(snapshot: RunSnapshot, attempt: number): HandOver[] {
  return snapshot.system.entrypoints.map((to, index) => {
    const branchId = rootBranchId(index + 1);
    return { ...identify(snapshot, { attempt, branchId, from: '', to, depth: 1, round: 0 }), to_agent: to, branch_id: branchId, depth: 1 };
  });
}

function identify(snapshot: RunSnapshot, place: Omit<MessagePlace, 'taskUid'>): { message_id: string; idempotency_key: string } {
  const full = { taskUid: snapshot.task.uid, ...place };
  return { message_id: messageId(full), idempotency_key: messageKey(full) };
}
