// All problems of a design: the kind's rules, the graph's, and what does not exist on the server.
import type { FieldError } from '@svc/shared/errors';
import type { KindDefinition } from '@svc/shared/kinds/define';
import { useEffect, useMemo, useState } from 'react';
import { loadDefinitions } from '../../kinds/definitions.ts';
import type { AgentFacts } from '../graph/agent-facts.ts';
import { problemsOf, type SystemProblem } from './problems.ts';
import type { Design } from './use-design.ts';
import { useMissingReferences } from './use-missing-references.ts';

type Check = (definition: KindDefinition, spec: unknown) => readonly FieldError[];

/** The rules with zod in them are a chunk of their own: the canvas is there before they are. */
function useRules(): { readonly definition: KindDefinition; readonly check: Check } | undefined {
  const [rules, setRules] = useState<{ readonly definition: KindDefinition; readonly check: Check }>();
  useEffect(() => {
    let gone = false;
    Promise.all([loadDefinitions(), import('@svc/shared/kinds/check')]).then(
      ([{ kindByName }, { checkSpec }]) => {
        const definition = kindByName('AgentSystem');
        if (gone || !definition) return;
        const context = { namespace: 'default', name: 'system' };
        setRules({ definition, check: (kind, spec) => checkSpec(kind, spec, { context, unknownFields: 'reject' }).errors });
      },
      () => undefined, // The server says the same when it is saved.
    );
    return () => {
      gone = true;
    };
  }, []);
  return rules;
}

export interface ProblemContext {
  readonly namespace: string;
  readonly facts: ReadonlyMap<string, AgentFacts>;
}

export function useProblems(design: Design, { namespace, facts }: ProblemContext): readonly SystemProblem[] {
  const { model, system, value } = design;
  const known = useMemo(() => model.nodes.filter(({ id }) => facts.get(id)?.state === 'found').map(({ id }) => id), [model, facts]);
  const missing = useMissingReferences(namespace, known);
  const rules = useRules();
  const spec = value['spec'];
  const broken = useMemo(() => (rules && spec !== undefined ? rules.check(rules.definition, spec) : []), [rules, spec]);
  return useMemo(() => problemsOf({ system, model, facts, rules: broken, missing }), [system, model, facts, broken, missing]);
}
