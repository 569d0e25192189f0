// Loops that delete finished objects past their retention, for the elected server.
import { A2A_CONTEXTS } from '../a2a/tasks/start-run.ts';
import type { Clock } from '../clock.ts';
import type { Config } from '../config.ts';
import { createRetention, type Removal, type RetentionLoop, type RetentionOptions } from '../controllers/retention/controller.ts';
import { APPROVALS, SESSIONS } from '../controllers/retention/finished-objects.ts';
import type { Logger } from '../log/log.ts';
import { CHATS } from '../sessions/chat-service.ts';
import { isOfOpenSession } from '../sessions/draft.ts';

interface RetentionParts extends Pick<RetentionOptions, 'store' | 'registry' | 'reportError'> {
  readonly clock: Clock;
  readonly log: Logger;
  readonly telemetry: { readonly onTasksRemoved: (removed: number) => void };
  readonly audit: { readonly onTasksRemoved: (removal: Removal) => void };
}

type Limits = Pick<Config, 'taskRetention' | 'approvalRetention' | 'sessionRetention' | 'chatRetention'>;

export function retentionLoops(parts: RetentionParts, limits: Limits): (() => RetentionLoop)[] {
  const { store, registry, clock, log, telemetry, audit, reportError } = parts;
  const loop = (
    retention: RetentionOptions['retention'] | undefined,
    more: Pick<RetentionOptions, 'subject' | 'isNeeded' | 'onRemoved'>,
  ): (() => RetentionLoop)[] => (retention ? [() => createRetention({ store, registry, clock, retention, reportError, ...more })] : []);
  const logged = (message: string) => (removal: Removal) => log.info(removal, message);
  const onRemoved = (removal: Removal) => {
    log.info(removal, 'removed finished tasks past their retention');
    telemetry.onTasksRemoved(removal.removed);
    audit.onTasksRemoved(removal);
  };
  const onChatsRemoved = logged('removed Sessions of chat requests or A2A past their retention');
  const onApprovalsRemoved = logged('removed approvals past their retention');
  return [
    ...loop(limits.taskRetention, { isNeeded: isOfOpenSession, onRemoved }),
    ...APPROVALS.flatMap((subject) => loop(limits.approvalRetention, { subject, onRemoved: onApprovalsRemoved })),
    ...loop(limits.sessionRetention, { subject: SESSIONS, onRemoved: logged('removed ended Sessions past their retention') }),
    ...[CHATS, A2A_CONTEXTS].flatMap((subject) => loop(limits.chatRetention, { subject, onRemoved: onChatsRemoved })),
  ];
}
