// What the state of the connection is called, and how it looks. Pure.
import type { ConnectionPhase } from '../../live/connection.ts';
import type { Tone } from '../../ui/tone.ts';

export interface ConnectionWords {
  readonly label: string;
  readonly tone: Tone;
  readonly explanation: string;
}

export const CONNECTION_WORDS: Readonly<Record<ConnectionPhase, ConnectionWords>> = {
  connecting: {
    label: 'Connecting',
    tone: 'info',
    explanation: 'Waiting for the live stream. Until it is there, pages ask for news every 30 seconds.',
  },
  live: { label: 'Live', tone: 'ok', explanation: 'Changes appear as they happen.' },
  reconnecting: {
    label: 'Reconnecting',
    tone: 'warn',
    explanation: 'The connection was lost. What you see may be old; nothing is lost, and nothing can be changed until it is back.',
  },
  offline: { label: 'Offline', tone: 'danger', explanation: 'This machine has no network. What you see may be old.' },
  unauthorized: { label: 'Signed out', tone: 'danger', explanation: 'The server asks who you are.' },
};
