// Labels and tones for the state of the connection. Pure.
import type { ConnectionPhase } from '../../live/connection.ts';
import type { Tone } from '../../ui/status/tone.ts';

export interface ConnectionLabels {
  readonly label: string;
  readonly tone: Tone;
  readonly explanation: string;
}

export const CONNECTION_LABELS: Readonly<Record<ConnectionPhase, ConnectionLabels>> = {
  connecting: {
    label: 'Connecting',
    tone: 'info',
    explanation: 'Waiting for live updates. Pages refresh every 5 seconds until then.',
  },
  live: { label: 'Live', tone: 'ok', explanation: 'Changes appear as they happen.' },
  reconnecting: {
    label: 'Reconnecting',
    tone: 'warn',
    explanation: 'The connection was lost. The page may be out of date, and changes are not possible until it returns.',
  },
  offline: { label: 'Offline', tone: 'danger', explanation: 'This machine is offline. The page may be out of date.' },
  unauthorized: { label: 'Signed out', tone: 'danger', explanation: 'Sign in again.' },
};
