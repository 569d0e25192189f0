// The icon of a kind, the same everywhere.
import {
  Bot,
  Box,
  Brain,
  CalendarClock,
  ClipboardCheck,
  Cpu,
  Database,
  FileLock2,
  KeyRound,
  ListTodo,
  MessagesSquare,
  Plug,
  ScrollText,
  ShieldCheck,
  UserCog,
  UserCheck,
  Webhook,
  Workflow,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import { kindNamed } from './kind-table.ts';

/** By path segment. */
const ICONS: Readonly<Record<string, LucideIcon>> = {
  agents: Bot,
  'agent-systems': Workflow,
  'model-endpoints': Brain,
  tools: Wrench,
  'mcp-servers': Plug,
  memories: Database,
  tasks: ListTodo,
  sessions: MessagesSquare,
  'tool-approvals': UserCheck,
  'task-approvals': ClipboardCheck,
  'task-schedules': CalendarClock,
  'task-webhooks': Webhook,
  'agent-policies': ScrollText,
  'agent-roles': UserCog,
  'tool-permissions': ShieldCheck,
  secrets: KeyRound,
  'sealed-secrets': FileLock2,
  workers: Cpu,
};

export interface KindIconProps {
  /** The kind's name, `AgentSystem`. */
  readonly kind: string;
  readonly className?: string;
}

export function KindIcon({ kind, className }: KindIconProps) {
  const Icon = ICONS[kindNamed(kind)?.plural ?? ''] ?? Box;
  return <Icon aria-hidden className={className} />;
}
