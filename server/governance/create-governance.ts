// The judge of calls over the rules in the store: one small read for each judgement, and all rules again only when one of them has changed.
import type { Governance } from '../engine/ports.ts';
import type { StoreReader } from '../store/store.ts';
import { judgeCall } from './judge-call.ts';
import { judgeModel } from './judge-model.ts';
import { loadRules, type LoadedRules } from './load-rules.ts';
import type { DefaultVerdict } from './outcome.ts';
import type { RuleBook } from './rule-book.ts';
import { readRulesVersion } from './rules-version.ts';

export interface GovernanceOptions {
  /** `--default-tool-verdict`. */
  readonly defaultVerdict: DefaultVerdict;
}

/**
 * Keeps one book of rules, the last one read. A rule that any process has committed binds from the next judgement on.
 * Through a transaction it may also reject as that transaction's own reads do (WriteRace), and the transaction is then run again.
 */
export function createGovernance({ defaultVerdict }: GovernanceOptions): Governance {
  const rules = new RulesInForce();
  return {
    judgeCall: async (reader, subject) => judgeCall(await rules.read(reader), subject, defaultVerdict),
    judgeModel: async (reader, subject) => judgeModel(await rules.read(reader), subject),
  };
}

class RulesInForce {
  #held: LoadedRules | undefined;
  /** Readings in flight. Only calls with the same reader share one: waiting for another's transaction could hold up both. */
  readonly #loading = new Map<StoreReader, Promise<LoadedRules>>();

  async read(reader: StoreReader): Promise<RuleBook> {
    const version = await readRulesVersion(reader);
    if (this.#held?.version === version) return this.#held.book;
    const earlier = this.#loading.get(reader);
    const shared = await earlier;
    if (shared?.version === version) return shared.book;
    // A load in flight began before the version above was read, and may be older than it. A load that begins from here on cannot.
    const loaded = await (this.#loading.get(reader) ?? this.#load(reader));
    return loaded.book;
  }

  async #load(reader: StoreReader): Promise<LoadedRules> {
    const loading = loadRules(reader);
    this.#loading.set(reader, loading);
    try {
      this.#held = await loading;
      return this.#held;
    } finally {
      if (this.#loading.get(reader) === loading) this.#loading.delete(reader);
    }
  }
}
