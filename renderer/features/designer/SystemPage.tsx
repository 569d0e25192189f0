// One agent system: its design, its runs, its text.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function SystemPage() {
  return <PageHeader title="Agent system" />;
}
