// The audit of a process: its destinations, and the listeners that feed them. Without a destination nothing listens.
import { auditAccess, type RefusedAccess } from '../audit/audit-access.ts';
import { auditAuth } from '../audit/audit-auth.ts';
import { auditDecisions } from '../audit/audit-decisions.ts';
import { removalEvent } from '../audit/audit-writes.ts';
import { auditedStore } from '../audit/audited-store.ts';
import { openAuditLog, openAuditWebhook, type AuditLog, type AuditLogOptions } from '../audit/audit-log.ts';
import { auditModelTrials } from '../audit/audit-model-trials.ts';
import { auditMemories } from '../audit/audit-memories.ts';
import { auditRuns } from '../audit/audit-runs.ts';
import type { MemoryService } from '../memory/memory-service.ts';
import { terminalEvent } from '../audit/audit-terminals.ts';
import type { AuthService } from '../auth/auth.ts';
import type { ProcessConfig } from '../config.ts';
import type { RecordDecision } from '../decisions/record-decision.ts';
import type { RunObserver } from '../engine/observer.ts';
import type { ModelTrials } from '../model-trials/model-trials.ts';
import type { Store } from '../store/store.ts';
import type { TerminalEvent } from '../terminal/terminals.ts';

export interface ProcessAudit {
  /** Further listeners of runs. */
  readonly observers: readonly RunObserver[];
  /** A store and a recorder whose writes and decisions are audited: give these to the parts that write. */
  writes(store: Store, record: RecordDecision): { readonly store: Store; readonly recordDecision: RecordDecision };
  auth(auth: AuthService): AuthService;
  modelTrials(trials: ModelTrials): ModelTrials;
  memories(memories: MemoryService): MemoryService;
  readonly onRefused: (access: RefusedAccess) => void;
  readonly onTerminal: (event: TerminalEvent) => void;
  readonly onTasksRemoved: (removal: Parameters<typeof removalEvent>[0]) => void;
  /** After everything that is audited. Idempotent; never rejects. */
  close(): Promise<void>;
}

const NO_AUDIT: ProcessAudit = {
  observers: [],
  writes: (store, recordDecision) => ({ store, recordDecision }),
  auth: (auth) => auth,
  modelTrials: (trials) => trials,
  memories: (memories) => memories,
  onRefused: () => undefined,
  onTerminal: () => undefined,
  onTasksRemoved: () => undefined,
  close: () => Promise.resolve(),
};

/** Rejects with a ServiceError, in one sentence, when a destination cannot be opened. */
export async function openAudit(config: Pick<ProcessConfig, 'auditLog' | 'auditWebhook'>, options: AuditLogOptions): Promise<ProcessAudit> {
  const log = await openDestinations(config, options);
  if (log === undefined) return NO_AUDIT;
  const access = auditAccess(log, options.clock);
  return {
    observers: [auditRuns(log)],
    writes(inner, record) {
      const { store, audit } = auditedStore(inner, log, options.clock);
      return { store, recordDecision: auditDecisions(record, audit) };
    },
    auth: (auth) => auditAuth(auth, log, options.clock),
    modelTrials: (trials) => auditModelTrials(trials, log, options.clock),
    memories: (memories) => auditMemories(memories, log, options.clock),
    onRefused: (refused) => access.refused(refused),
    onTerminal: (event) => log.write(terminalEvent(event, options.clock.now())),
    onTasksRemoved: (removal) => log.write(removalEvent(removal, options.clock.now())),
    async close() {
      access.close();
      await log.close();
    },
  };
}

async function openDestinations(
  { auditLog, auditWebhook }: Pick<ProcessConfig, 'auditLog' | 'auditWebhook'>,
  options: AuditLogOptions,
): Promise<AuditLog | undefined> {
  const first = auditLog === undefined ? undefined : await openAuditLog(auditLog, options);
  try {
    const second = auditWebhook && (await openAuditWebhook(auditWebhook, options));
    return first && second ? both(first, second) : (first ?? second);
  } catch (error) {
    await first?.close();
    throw error;
  }
}

const both = (first: AuditLog, second: AuditLog): AuditLog => ({
  write(event) {
    first.write(event);
    second.write(event);
  },
  close: async () => void (await Promise.all([first.close(), second.close()])),
});
