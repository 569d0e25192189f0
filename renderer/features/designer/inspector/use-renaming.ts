// The agent of the designer that gets a new name, and the reasons why one cannot.
import { parseRef } from '@svc/shared/resource';
import { useState } from 'react';
import type { AgentFacts } from '../../../graph/agent-summary.ts';
import { toastInfo } from '../../../ui/overlay/toast.ts';
import { draftId } from '../document/drafts.ts';
import type { Design } from '../document/use-design.ts';

export interface RenamingOptions {
  readonly design: Design;
  readonly namespace: string;
  /** Whether the design differs from what is stored. */
  readonly changed: boolean;
}

/** The agent that gets a new name. A stored one changes what is stored, which a changed design would hide. */
export function useRenaming({ design, namespace, changed }: RenamingOptions, facts: ReadonlyMap<string, AgentFacts>) {
  const [agent, ask] = useState<string>();
  const isStored = (id: string) => {
    const draft = design.drafts.get(draftId({ kind: 'Agent', ...parseRef(id, namespace) }));
    return draft ? draft.base !== undefined : facts.get(id)?.state !== 'missing';
  };
  const reasonFor = (id: string) => {
    if (!design.readable) return 'The YAML is not valid. Fix it first';
    return changed && isStored(id) ? 'Other objects change with its name. Apply or discard your changes first' : undefined;
  };
  return {
    agent,
    ask: (id: string) => {
      const reason = reasonFor(id);
      if (reason === undefined) ask(id);
      else toastInfo(reason);
    },
    close: () => ask(undefined),
    isStored,
    reasonFor,
  };
}

export type Renaming = ReturnType<typeof useRenaming>;
