// Facts of an McpServer in the log of changes: its connections, changes of its list, and failures. Pure.
import type { Fact } from '../../store/store.ts';

interface ToolCounts {
  readonly discovered: number;
  readonly generated: number;
}

const counted = ({ discovered, generated }: ToolCounts): string =>
  `${discovered} ${discovered === 1 ? 'tool' : 'tools'} listed, ${generated} generated`;

const SOURCE = 'mcp-sync';

export function connectedFact(protocolVersion: string, counts: ToolCounts): Fact {
  const message = `protocol ${protocolVersion}, ${counted(counts)}`;
  return { type: 'mcp.connected', source: SOURCE, action: 'connected', message, data: { protocolVersion, ...counts } };
}

export function listChangedFact(counts: ToolCounts): Fact {
  return {
    type: 'mcp.list_changed',
    source: SOURCE,
    action: 'list_changed',
    message: counted(counts),
    data: { ...counts },
  };
}

export interface FailedAttempt {
  readonly attempt: number;
  /** Attempts before the phase becomes Error. */
  readonly maxAttempts: number;
  /** Redacted. */
  readonly error: string;
  readonly code: string;
  readonly nextAttemptAt: string;
}

export function failedFact({ error, ...data }: FailedAttempt): Fact {
  return { type: 'mcp.failed', source: SOURCE, action: 'failed', message: error, data };
}
