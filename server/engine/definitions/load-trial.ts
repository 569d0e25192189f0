// Parts of a trial by `spec.trial`, read from earlier runs: pins, received messages, the part of the graph that runs (docs/trials.md).
import { durationMs } from '@svc/shared/duration';
import { jsonEquals, type Json } from '@svc/shared/json';
import { ServiceError } from '@svc/shared/errors';
import { specOf } from '@svc/shared/kinds/read';
import { BREAKPOINT_WAIT_DEFAULT } from '@svc/shared/kinds/task/trial-limits';
import type { StoredObject, StoreReader } from '../../store/store.ts';
import { graphPlan } from '../core/graph-plan.ts';
import { RECORDED_MAX_BYTES } from '../core/limits.ts';
import type { Pin, RunSnapshot, TrialSnapshot } from '../core/snapshot.ts';
import { readEarlierRun, type EarlierRun } from './earlier-run.ts';

type Trial = NonNullable<ReturnType<typeof specOf<'Task'>>['trial']>;

interface Loading {
  readonly reader: StoreReader;
  readonly task: StoredObject;
  readonly snapshot: RunSnapshot;
  readonly problems: Set<string>;
  readonly known: Map<string, Promise<EarlierRun | undefined>>;
}

/** The snapshot of a Task that is a trial; the same snapshot for any other. Adds a sentence to `problems` for all that does not fit. */
export async function withTrial(place: Pick<Loading, 'reader' | 'task' | 'snapshot'>, problems: Set<string>): Promise<RunSnapshot> {
  const { trial } = specOf('Task', place.task);
  if (!trial) return place.snapshot;
  const loading: Loading = { ...place, problems, known: new Map() };
  checkNodes(loading, trial);
  if (problems.size > 0) return place.snapshot;
  const pins: Record<string, Pin> = {};
  const { from, only } = trial;
  if (from) Object.assign(pins, await resultsBefore(loading, from));
  for (const pin of trial.pins ?? []) {
    const { node, output, task } = pin;
    const found = task === undefined ? { outputs: [{ output: output ?? '' }], repeats: true } : await recordedPin(loading, node, task);
    if (found) pins[node] = found;
  }
  const received = only?.task === undefined ? undefined : await receivedBy(loading, only.node, only.task);
  const size = Buffer.byteLength(JSON.stringify([pins, received]));
  if (size > RECORDED_MAX_BYTES)
    problems.add(`the recorded results of the trial have ${size} bytes; at most ${RECORDED_MAX_BYTES} can be used: pin fewer of them`);
  const waitMs = durationMs(trial.wait, BREAKPOINT_WAIT_DEFAULT);
  const breakpoints = (trial.breakpoints ?? []).map(({ node, at }) => ({
    node,
    at: at === 'after' ? ('after' as const) : ('before' as const),
  }));
  const settings: TrialSnapshot = { waitMs, breakpoints, pins, ...(received && { received: received.input }) };
  const earlier = from && (await earlierRun(loading, from.task));
  const recorded = earlier?.snapshot.task.input ?? received?.taskInput;
  const { snapshot } = place;
  const input = Object.keys(snapshot.task.input).length === 0 && recorded ? recorded : snapshot.task.input;
  const whole = { ...snapshot, task: { ...snapshot.task, input, trial: settings } };
  return only ? { ...whole, system: alone(snapshot.system, only.node) } : whole;
}

function alone(system: RunSnapshot['system'], node: string): RunSnapshot['system'] {
  const { review } = system.nodes[node] ?? {};
  return { ...system, entrypoints: [node], nodes: { [node]: { routes: [], ...(review && { review }) } } };
}

function checkNodes({ snapshot, problems }: Loading, { breakpoints = [], pins = [], only, from, overrides }: Trial): void {
  const { namespace, name } = snapshot.system;
  const check = (path: string, node: string) => {
    if (!Object.hasOwn(snapshot.agents, node))
      problems.add(`spec.trial.${path} names ${node}, which is not in AgentSystem ${namespace}/${name}`);
  };
  for (const [index, { node }] of breakpoints.entries()) check(`breakpoints[${index}]`, node);
  for (const [index, { node }] of pins.entries()) check(`pins[${index}]`, node);
  for (const agent of Object.keys(overrides?.model ?? {})) check('overrides.model', agent);
  for (const agent of Object.keys(overrides?.prompt ?? {})) check('overrides.prompt', agent);
  if (only) check('only', only.node);
  if (from) check('from', from.node);
}

/** An earlier run of the same system; undefined, with its problem, for any other. */
async function earlierRun(loading: Loading, name: string): Promise<EarlierRun | undefined> {
  const read = loading.known.get(name) ?? readEarlier(loading, name);
  loading.known.set(name, read);
  return read;
}

async function readEarlier({ reader, task, snapshot, problems }: Loading, name: string): Promise<EarlierRun | undefined> {
  const full = `Task ${task.namespace}/${name}`;
  const found = await reader.getObject({ kind: 'Task', namespace: task.namespace, name });
  if (!found) return refuse(problems, `${full}, whose results the trial reuses, does not exist`);
  try {
    const run = await readEarlierRun(reader, found.uid);
    if (!run) return refuse(problems, `${full} has not begun: it has no results to reuse`);
    const { system } = run.snapshot;
    const same = system.namespace === snapshot.system.namespace && system.name === snapshot.system.name;
    if (same) return run;
    return refuse(problems, `${full} ran AgentSystem ${system.namespace}/${system.name}; a trial reuses runs of its own system only`);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'too_large') throw error;
    return refuse(problems, `${full}: ${error.message}`);
  }
}

function refuse(problems: Set<string>, sentence: string): undefined {
  problems.add(sentence);
}

async function recordedPin(loading: Loading, node: string, name: string): Promise<Pin | undefined> {
  const { namespace } = loading.task;
  const run = await earlierRun(loading, name);
  if (!run || !hasShapeOf(loading, run, { node, name })) return undefined;
  const outputs = run.results.flatMap((result) => (result.agent === node ? [{ output: result.output, labels: result.labels }] : []));
  if (outputs.length > 0) return { outputs, repeats: true, task: `${namespace}/${name}` };
  return refuse(loading.problems, `Task ${namespace}/${name} recorded no output of ${node}: pin a text, or another run`);
}

/** Results of agents before the first turn of `node`, and of those that it does not lead to. */
async function resultsBefore(loading: Loading, { node, task: name }: NonNullable<Trial['from']>): Promise<Record<string, Pin>> {
  const { namespace } = loading.task;
  const run = await earlierRun(loading, name);
  if (!run) return {};
  const begin = run.starts.get(node);
  if (!begin) {
    loading.problems.add(`Task ${namespace}/${name} never came to ${node}: nothing can be run from there`);
    return {};
  }
  const behind = reachable(loading.snapshot, node);
  const pins: Record<string, Pin> = {};
  for (const { agent, output, labels, place } of run.results) {
    if (agent === node || (behind.has(agent) && place > begin.first)) continue;
    if (!hasShapeOf(loading, run, { node: agent, name })) continue;
    pins[agent] = { outputs: [...(pins[agent]?.outputs ?? []), { output, labels }], repeats: false, task: `${namespace}/${name}` };
  }
  return pins;
}

function reachable(snapshot: RunSnapshot, from: string): Set<string> {
  const plan = graphPlan(snapshot);
  const found = new Set<string>();
  const open = [from];
  for (let next = open.pop(); next !== undefined; next = open.pop())
    for (const { to } of plan.routes(next)) {
      if (found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  return found;
}

/** A recorded output fits a node that hands over as it did: its routes and the markers of its output are the same. */
function hasShapeOf({ snapshot, problems, task }: Loading, run: EarlierRun, { node, name }: { node: string; name: string }): boolean {
  const full = `the recorded output of ${node} in Task ${task.namespace}/${name}`;
  if (!Object.hasOwn(snapshot.agents, node)) {
    problems.add(`${full} has no place: ${node} is no longer in the system`);
    return false;
  }
  if (jsonEquals(shapeOf(run.snapshot, node), shapeOf(snapshot, node))) return true;
  problems.add(`${full} no longer fits: the routes or output markers of the node have changed; run it again, or pin a text`);
  return false;
}

function shapeOf({ system, agents }: RunSnapshot, node: string): Json {
  const routes = system.nodes[node]?.routes ?? [];
  return { routes, markers: agents[node]?.outputMarkers ?? [] } as unknown as Json;
}

async function receivedBy(loading: Loading, node: string, name: string) {
  const run = await earlierRun(loading, name);
  const begin = run?.starts.get(node);
  if (run && begin) return { input: begin.last, taskInput: run.snapshot.task.input };
  if (run) loading.problems.add(`Task ${loading.task.namespace}/${name} never came to ${node}: it recorded no messages for it`);
  return undefined;
}
