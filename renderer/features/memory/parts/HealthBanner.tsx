// Health of the backend in plain words: one line while it works, a banner with the reason and what to do while it does not.
import type { MemorySpec } from '@svc/shared/kinds/memory/rules';
import type { MemoryStatus } from '@svc/shared/kinds/memory/schema';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { UntrustedText } from '../../../ui/text/UntrustedText.tsx';
import { healthOf } from '../model/health.ts';

export interface HealthBannerProps {
  readonly spec: MemorySpec;
  readonly status: MemoryStatus;
}

export function HealthBanner({ spec, status }: HealthBannerProps) {
  const { tone, title, reason, advice } = healthOf(spec, status);
  if (tone === 'ok') return <p className="px-6 pt-2 text-sm text-muted max-sm:px-4">{title}</p>;
  return (
    <Banner tone={tone} className="px-6 max-sm:px-4">
      <p>{title}</p>
      {reason !== undefined && <UntrustedText text={reason} block className="text-sm" />}
      {advice !== undefined && <p className="text-sm text-muted">{advice}</p>}
    </Banner>
  );
}
