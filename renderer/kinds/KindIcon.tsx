// The icon of a kind, the same everywhere.
import { Box, type LucideIcon } from 'lucide-react';
import { kindIcons } from 'virtual:kind-table';

const ICONS = kindIcons as Readonly<Record<string, LucideIcon>>;

export interface KindIconProps {
  /** The kind's name, `AgentSystem`. */
  readonly kind: string;
  readonly className?: string;
}

export function KindIcon({ kind, className }: KindIconProps) {
  const Icon = ICONS[kind] ?? Box;
  return <Icon aria-hidden className={className} />;
}
