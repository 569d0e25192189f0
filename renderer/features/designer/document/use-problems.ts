// All problems of a design: the kind's rules, the graph's, and what does not exist on the server.
import type { FieldError } from '@svc/shared/errors';
import { useEffect, useMemo, useState } from 'react';
import { parseRef } from '@svc/shared/resource';
import { useQueries } from '@tanstack/react-query';
import { api } from '../../../live/api.ts';
import { loadDefinitions } from '../../../kinds/definitions.ts';
import { fullName, type AgentFacts } from '../../../graph/agent-summary.ts';
import { draftId, keyProblem, valueOfDraft } from './drafts.ts';
import { problemsOf, type DraftProblem, type SystemProblem, type UnrunnableTool } from './problems.ts';
import type { Design } from './use-design.ts';
import { useMissingReferences } from './use-missing-references.ts';

type Check = (value: Design['value'], of: { readonly namespace: string; readonly kind: string }) => readonly FieldError[];

const KIND = 'AgentSystem';

/** The rules with zod in them are a chunk of their own: the canvas is shown before they load. */
function useRules(): Check | undefined {
  const [rules, setRules] = useState<Check>();
  useEffect(() => {
    let gone = false;
    Promise.all([loadDefinitions(), import('../../../yaml/check-text.ts')]).then(
      ([known, { objectErrors }]) => {
        const check: Check = (value, { namespace, kind }) => objectErrors(value, known.kindByName(kind), { known, namespace, kind });
        if (!gone) setRules(() => check);
      },
      () => undefined, // The server reports the same on save.
    );
    return () => {
      gone = true;
    };
  }, []);
  return rules;
}

/** Tools of the agents that the server cannot run, each checked once. Live. */
function useUnrunnableTools(namespace: string, facts: ReadonlyMap<string, AgentFacts>): readonly UnrunnableTool[] {
  const uses = useMemo(
    () =>
      [...facts].flatMap(([agent, { tools }]) => {
        const home = parseRef(agent, namespace).namespace;
        return tools.filter(({ missing }) => !missing).map(({ name }) => ({ agent, tool: fullName(name, home) }));
      }),
    [facts, namespace],
  );
  const tools = useMemo(() => [...new Set(uses.map(({ tool }) => tool))], [uses]);
  const messages = useQueries({
    queries: tools.map((tool) => api.access.toolProblem.queryOptions(parseRef(tool, namespace))),
    combine: (results) => new Map(results.flatMap(({ data }, index) => (data ? [[tools[index], data.message] as const] : []))),
  });
  return useMemo(
    () =>
      uses.flatMap(({ agent, tool }) => {
        const message = messages.get(tool);
        return message === undefined ? [] : [{ agent, tool, message }];
      }),
    [uses, messages],
  );
}

const agentId = (ref: string, namespace: string) => draftId({ kind: 'Agent', ...parseRef(ref, namespace) });

/** Errors of the drafted objects, by the rules of their kinds. */
function draftErrors({ drafts, model }: Design, namespace: string, rules: Check): readonly DraftProblem[] {
  const named = new Map(model.nodes.map(({ id }) => [agentId(id, namespace), id]));
  return [...drafts].flatMap(([id, draft]) => {
    const { kind, name } = draft;
    const agent = named.get(id);
    const at = { kind, name, ...(agent !== undefined && { agent }) };
    const value = valueOfDraft(draft);
    if (!value) return [{ ...at, path: 'YAML', message: 'cannot be read' }];
    const renamed = keyProblem(draft);
    const broken = rules(value, { namespace: draft.namespace, kind });
    return [...(renamed ? [renamed] : []), ...broken].map(({ path, message }) => ({ ...at, path, message }));
  });
}

export interface ProblemContext {
  readonly namespace: string;
  readonly facts: ReadonlyMap<string, AgentFacts>;
}

export function useProblems(design: Design, { namespace, facts }: ProblemContext): readonly SystemProblem[] {
  const { model, system, value } = design;
  const { drafts } = design;
  const known = useMemo(
    () => model.nodes.filter(({ id }) => facts.get(id)?.state === 'found' && !drafts.has(agentId(id, namespace))).map(({ id }) => id),
    [model, facts, drafts, namespace],
  );
  const absent = useMissingReferences(namespace, known);
  const missing = useMemo(() => absent.filter(({ key }) => !drafts.has(draftId(key))), [absent, drafts]);
  const unrunnable = useUnrunnableTools(namespace, facts);
  const rules = useRules();
  const broken = useMemo(() => rules?.(value, { namespace, kind: KIND }) ?? [], [rules, value, namespace]);
  const drafted = useMemo(() => (rules ? draftErrors(design, namespace, rules) : []), [rules, design, namespace]);
  return useMemo(
    () => problemsOf({ system, model, facts, rules: broken, missing, unrunnable, drafted }),
    [system, model, facts, broken, missing, unrunnable, drafted],
  );
}
