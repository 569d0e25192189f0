// Version of the rules: one small document that every write of a rule replaces in its own transaction, so that one read shows whether cached rules still hold.
import { randomUUID } from 'node:crypto';
import type { KindHooks } from '../registry/registry.ts';
import type { StoreReader, StoreTransaction } from '../store/store.ts';
import { idleRuleWarnings } from './idle-rules.ts';

const COLLECTION = 'governance';
const ID = 'version';

/** The kinds that rules are kept in. */
const RULE_KINDS = ['AgentPolicy', 'AgentRole', 'ToolPermission'] as const;

/** Another text after each change of a rule; the same one before the first. Texts are compared, never ordered. */
export async function readRulesVersion(reader: Pick<StoreReader, 'getDocument'>): Promise<string> {
  return JSON.stringify((await reader.getDocument(COLLECTION, ID)) ?? null);
}

/**
 * Hooks of governance on the write path of its kinds. Only specs are rules: a write of labels or of a status changes none.
 * Writes that bypass the registry need no hook: a copied or restored database brings its version along with its rules.
 * A version is never used twice, not even by transactions that overlap: each commit of a rule makes a new one.
 */
export function createGovernanceHooks(newVersion: () => string = randomUUID): ReadonlyMap<string, KindHooks> {
  const renew = (tx: StoreTransaction) => tx.putDocumentLast(COLLECTION, ID, { version: newVersion() });
  const hooks: KindHooks = {
    onCreated: renew,
    async onUpdated(tx, { metadata }, { previous }) {
      if (metadata.generation !== previous.metadata.generation) await renew(tx);
    },
    onDeleted: renew,
    warn: (_tx, rule) => Promise.resolve(idleRuleWarnings(rule)),
  };
  return new Map(RULE_KINDS.map((kind) => [kind, hooks]));
}
