// The first run, step by step.
import { PageHeader } from '../../ui/PageHeader.tsx';

export function WelcomePage() {
  return <PageHeader title="Welcome" />;
}
