// Identity source of the desktop window: cookies that derive from a secret of one run of the app. Nothing is stored, so they outlive a restart of the server on its port.
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Identity } from '../registry/registry.ts';
import type { IdentitySource } from './identity-source.ts';

/** Identity of the person at the desktop app. No user and no token can take this name. */
export const DESKTOP: Identity = { method: 'session', name: 'desktop', role: 'admin' };

/** Marks keys of this source among all keys of sign-ins. */
const PREFIX = 'ui_';
const KEY = /^ui_([A-Za-z0-9_-]{16,64})\.([A-Za-z0-9_-]{43})$/;

export interface Launch {
  /** Secret of one run of the app, the same for every start of its server. */
  readonly secret: string;
  /** Port of this server; known once it listens. */
  readonly port: () => number;
}

/**
 * Browsers send a cookie to every port of its host. A program that takes the port of a server that crashed gets it from the page that reconnects: the
 * proof must open nothing at the port that the server has next.
 */
const proofOf = ({ secret, port }: Launch, nonce: string): Buffer =>
  createHmac('sha256', secret).update(`svc_ui/${port()}/${nonce}`).digest();

/** Value of the cookie for a nonce of the app. */
export function mintUiSession(launch: Launch, nonce: string): string {
  return `${PREFIX}${nonce}.${proofOf(launch, nonce).toString('base64url')}`;
}

/** Must come before the source of stored sign-ins, which refuses keys that it does not know. */
export function createLaunchSessions(launch: Launch): IdentitySource {
  return {
    id: 'launch',
    isOn: () => true,
    async authenticate(credential) {
      if (credential.type !== 'sign_in') return undefined;
      const [, nonce, proof] = KEY.exec(credential.key) ?? [];
      if (nonce === undefined || proof === undefined) return undefined;
      const given = Buffer.from(proof, 'base64url');
      const expected = proofOf(launch, nonce);
      return given.length === expected.length && timingSafeEqual(given, expected) ? { identity: DESKTOP } : undefined;
    },
    config: async () => ({ login_methods: ['bearer'] }),
    principals: async () => [DESKTOP],
    principal: async (_reader, name) => (name === DESKTOP.name ? DESKTOP : undefined),
  };
}
