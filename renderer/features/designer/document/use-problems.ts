// All problems of a design: the kind's rules, the graph's, and what does not exist on the server.
import type { FieldError } from '@svc/shared/errors';
import { useEffect, useMemo, useState } from 'react';
import { parseRef } from '@svc/shared/resource';
import { useQueries } from '@tanstack/react-query';
import { api } from '../../../live/api.ts';
import { loadDefinitions } from '../../../kinds/definitions.ts';
import { fullName, type AgentFacts } from '../../../graph/agent-summary.ts';
import { problemsOf, type SystemProblem, type UnrunnableTool } from './problems.ts';
import type { Design } from './use-design.ts';
import { useMissingReferences } from './use-missing-references.ts';

type Check = (value: Design['value'], namespace: string) => readonly FieldError[];

const KIND = 'AgentSystem';

/** The rules with zod in them are a chunk of their own: the canvas is shown before they load. */
function useRules(): Check | undefined {
  const [rules, setRules] = useState<Check>();
  useEffect(() => {
    let gone = false;
    Promise.all([loadDefinitions(), import('../../../yaml/check-text.ts')]).then(
      ([known, { objectErrors }]) => {
        const definition = known.kindByName(KIND);
        const check: Check = (value, namespace) => objectErrors(value, definition, { known, namespace, kind: KIND });
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

export interface ProblemContext {
  readonly namespace: string;
  readonly facts: ReadonlyMap<string, AgentFacts>;
}

export function useProblems(design: Design, { namespace, facts }: ProblemContext): readonly SystemProblem[] {
  const { model, system, value } = design;
  const known = useMemo(() => model.nodes.filter(({ id }) => facts.get(id)?.state === 'found').map(({ id }) => id), [model, facts]);
  const missing = useMissingReferences(namespace, known);
  const unrunnable = useUnrunnableTools(namespace, facts);
  const rules = useRules();
  const broken = useMemo(() => rules?.(value, namespace) ?? [], [rules, value, namespace]);
  return useMemo(
    () => problemsOf({ system, model, facts, rules: broken, missing, unrunnable }),
    [system, model, facts, broken, missing, unrunnable],
  );
}
