// A conversation as a file, with a version of its format. Written here; read-conversation-file.ts reads it and includes the schemas.
import type { SessionEvent, Turn } from '@svc/shared/api/sessions';

export const CONVERSATION_FILE_FORMAT = 'svc-conversation';
export const CONVERSATION_FILE_VERSION = 1;

export interface ExportedSession {
  readonly namespace: string;
  readonly name: string;
  /** Name or namespace/name of the AgentSystem. */
  readonly system: string;
  readonly phase: string;
}

export interface ConversationFile {
  readonly format: typeof CONVERSATION_FILE_FORMAT;
  readonly version: typeof CONVERSATION_FILE_VERSION;
  /** RFC 3339. */
  readonly exported_at: string;
  readonly session: ExportedSession;
  /** All events, in their order. */
  readonly events: readonly SessionEvent[];
  /** All turns: a fork has turns without events. */
  readonly turns: readonly Turn[];
}

export function writeConversationFile(file: Omit<ConversationFile, 'format' | 'version'>): string {
  return JSON.stringify({ format: CONVERSATION_FILE_FORMAT, version: CONVERSATION_FILE_VERSION, ...file });
}
