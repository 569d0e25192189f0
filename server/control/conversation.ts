// Conversation with the desktop's main process after the start: sign-ins of its window, decisions from notifications, power events, drain, shutdown.
import { parseToServer, UI_COOKIE, type FromServer, type ToServer } from '@svc/shared/control';
import { ServiceError } from '@svc/shared/errors';
import { DESKTOP, mintUiSession, type Launch } from '../auth/launch-sessions.ts';
import { endsWithin, systemClock } from '../clock.ts';
import type { Gateway } from '../gateway/gateway.ts';
import type { RunService } from '../engine/runs/run-service.ts';
import type { Logger } from '../log/log.ts';
import type { Registry, RequestContext } from '../registry/registry.ts';
import type { WatchService } from '../registry/watch/watch.ts';
import { riskOf } from './follow-work.ts';
import { canDecideInNotification } from './notices.ts';
import type { RemoteWork } from './remote-work.ts';
import type { PersonKeys } from './person-keys.ts';

/** Services of a running server that the desktop uses without HTTP. */
export interface DesktopServices {
  readonly registry: Pick<Registry, 'get' | 'list'>;
  readonly watches: Pick<WatchService, 'watchChanges'>;
  readonly runs: Pick<RunService, 'decide'>;
  readonly gateway: Pick<Gateway, 'setProfiles' | 'setToken' | 'checkDraft'>;
  /** Servers of profiles. */
  readonly remote: Pick<RemoteWork, 'update' | 'serverOf'>;
  readonly environmentKeys: Pick<PersonKeys, 'answer'>;
  /** Claims nothing more and releases runs at their safe points. */
  drain(): Promise<void>;
  /** Gives runs back at their safe points and claims none, until it is lifted. */
  pause(paused: boolean): Promise<void>;
  /** Renews claims and polls for work at once: the machine may have slept. */
  wake(): void;
}

export interface ConversationOptions {
  readonly services: DesktopServices;
  readonly launch: Launch;
  readonly send: (message: FromServer) => void;
  readonly log: Logger;
  /** Called once. */
  readonly onShutdown: (graceMs: number) => void;
}

/** Context of everything that the person at the desktop does outside of the window. */
export const DESKTOP_CONTEXT: RequestContext = { identity: DESKTOP, requestId: 'desktop' };

type Of<Type extends ToServer['type']> = Extract<ToServer, { type: Type }>;

/** Returns the handler of messages. It never rejects; a message that does not parse is logged and dropped. */
export function createConversation(options: ConversationOptions): (message: unknown) => Promise<void> {
  const { log } = options;
  return async (raw) => {
    const parsed = parseToServer(raw);
    if (!parsed.ok) return log.warn({ problem: parsed.problem }, 'dropped a control message of an unknown form');
    try {
      await answer(options, parsed.message);
    } catch (error) {
      log.error({ err: error, type: parsed.message.type }, 'a control message failed');
    }
  };
}

async function answer(options: ConversationOptions, message: ToServer): Promise<void> {
  const { services, launch, send, log } = options;
  switch (message.type) {
    case 'bootstrap':
      return log.warn('dropped a second bootstrap');
    case 'mint-ui-session': {
      const { nonce } = message;
      return send({ type: 'ui-session', nonce, cookie: { name: UI_COOKIE, value: mintUiSession(launch, nonce) } });
    }
    case 'profile-secret':
      services.gateway.setToken(message.id, message.token);
      return services.remote.update();
    case 'profiles':
      services.gateway.setProfiles(message.profiles);
      return services.remote.update();
    case 'profile-test': {
      const { nonce, profile, token } = message;
      return send({ type: 'profile-tested', nonce, result: await services.gateway.checkDraft(profile, token) });
    }
    case 'decide':
      return decide(options, message);
    case 'environment-key':
      return services.environmentKeys.answer(message.nonce, message.value);
    case 'pause':
      await services.pause(message.paused);
      return send({ type: 'paused', paused: message.paused });
    case 'power':
      log.info({ event: message.event }, 'power');
      return services.wake();
    case 'drain':
      return send({ type: 'drained', complete: await endsWithin(services.drain(), { clock: systemClock, ms: message.deadlineMs }) });
    case 'shutdown':
      return options.onShutdown(message.graceMs);
  }
}

async function decide({ services, send }: ConversationOptions, message: Of<'decide'>): Promise<void> {
  const { profile, approvalRef, decision, comment } = message;
  const remote = profile === undefined ? undefined : services.remote.serverOf(profile);
  const { registry, runs } = remote ? { registry: remote, runs: remote } : services;
  const subject = { approvalRef, ...(profile !== undefined && { profile }) };
  try {
    const approval = await registry.get(DESKTOP_CONTEXT, approvalRef);
    if (!canDecideInNotification(approval, await riskOf(approval, { registry, context: DESKTOP_CONTEXT })))
      throw new ServiceError('forbidden', 'This approval is decided on its page: open it to see the request');
    await runs.decide(DESKTOP_CONTEXT, approvalRef, { decision, uid: approval.metadata.uid, ...(comment !== undefined && { comment }) });
    send({ type: 'decided', ...subject, ok: true, message: '' });
  } catch (error) {
    const isKnown = error instanceof ServiceError;
    send({ type: 'decided', ...subject, ok: false, message: isKnown ? error.message : 'The server failed; its log has the reason' });
    if (!isKnown) throw error;
  }
}
