// Drafts of a design as variants of an experiment: prompts and models that run without being stored, and versions to run again. Pure.
import { jsonEquals } from '@svc/shared/json';
import { parseRef } from '@svc/shared/resource';
import type { GivenChanges } from '../../experiments/model/draft.ts';
import { specOf } from '../../../kinds/read.ts';
import { draftId, draftsOf, inReadingOrder, specOfDraft, type DraftObject, type Drafts } from './drafts.ts';

interface Design {
  readonly namespace: string;
  readonly drafts: Drafts;
  /** The stored system where its own text is edited. */
  readonly system: Pick<DraftObject, 'name' | 'base'> | undefined;
}

export interface DraftVariants {
  /** The drafts as they are; undefined where some of them can only run once they are stored. */
  readonly drafted: GivenChanges | undefined;
  /** The versions that an apply replaces; undefined where it replaces none that can be pinned. */
  readonly before: GivenChanges | undefined;
  /** Drafts that must be stored before they can run: `the system`, `Tool search`. */
  readonly unstored: readonly string[];
}

const refOf = ({ namespace, name }: Pick<DraftObject, 'namespace' | 'name'>, home: string) =>
  namespace === home ? name : `${namespace}/${name}`;

/** Everything but prompt and model: a trial replaces only these two. */
function rest({ prompt: _, model_ref: __, ...others }: Readonly<Record<string, unknown>>): unknown {
  return others;
}

interface Overrides {
  readonly prompt: Record<string, string>;
  readonly model: Record<string, string>;
}

/** Adds the agent's changes; false where a trial cannot run them. */
function override(overrides: Overrides, agent: DraftObject, { namespace, drafts }: Design): boolean {
  if (!agent.base) return false;
  const [after, before] = [specOfDraft(agent), agent.base.spec];
  if (!jsonEquals(rest(after), rest(before))) return false;
  const [now, then] = [specOf('Agent', { spec: after }), specOf('Agent', { spec: before })];
  const { model_ref: model = '' } = now;
  const moved = model !== then.model_ref;
  if (moved && (model === '' || drafts.has(draftId({ kind: 'ModelEndpoint', ...parseRef(model, agent.namespace) })))) return false;
  const ref = refOf(agent, namespace);
  // Both name the model from the agent's namespace.
  if (moved) overrides.model[ref] = model;
  if ((now.prompt ?? '') !== (then.prompt ?? '')) overrides.prompt[ref] = now.prompt ?? '';
  return true;
}

function draftedChanges(design: Design): { readonly overrides: Overrides; readonly unstored: readonly string[] } {
  const overrides: Overrides = { prompt: {}, model: {} };
  const unstored = inReadingOrder(design.drafts).filter((draft) => draft.kind !== 'Agent' || !override(overrides, draft, design));
  return { overrides, unstored: [...unstored.map(({ kind, name }) => `${kind} ${name}`), ...(design.system ? ['the system'] : [])] };
}

function givenOverrides({ prompt, model }: Overrides): GivenChanges | undefined {
  const words = [...Object.keys(prompt).map((agent) => `prompt of ${agent}`), ...Object.keys(model).map((agent) => `model of ${agent}`)];
  if (words.length === 0) return undefined;
  const part = <Value extends object>(name: string, value: Value) => (Object.keys(value).length > 0 ? { [name]: value } : {});
  return { words: `Drafts: ${words.join(', ')}`, overrides: { ...part('prompt', prompt), ...part('model', model) } };
}

function givenVersions({ namespace, drafts, system }: Design): GivenChanges | undefined {
  const agents = draftsOf(drafts, 'Agent').flatMap((draft) =>
    draft.base ? [{ kind: 'Agent', name: refOf(draft, namespace), generation: draft.base.metadata.generation }] : [],
  );
  const own = system?.base ? [{ kind: 'AgentSystem', name: system.name, generation: system.base.metadata.generation }] : [];
  const versions = [...agents, ...own];
  if (versions.length === 0) return undefined;
  return { words: versions.map(({ name, generation }) => `version ${generation} of ${name}`).join(', '), versions };
}

export function draftVariants(design: Design): DraftVariants {
  const { overrides, unstored } = draftedChanges(design);
  return { drafted: unstored.length > 0 ? undefined : givenOverrides(overrides), before: givenVersions(design), unstored };
}
