// Offers the draft of an earlier visit.
import { Banner } from '../ui/feedback/Banner.tsx';
import { Button } from '../ui/button/Button.tsx';
import { Time } from '../ui/status/Time.tsx';
import type { DraftState } from './use-draft.ts';

export function DraftBanner({ draft, onRestore }: { readonly draft: DraftState; readonly onRestore: () => void }) {
  if (!draft.offered) return null;
  const actions = (
    <span className="flex gap-2">
      <Button size="sm" variant="primary" onClick={onRestore}>
        Restore
      </Button>
      <Button size="sm" onClick={draft.discard}>
        Discard
      </Button>
    </span>
  );
  return (
    <Banner tone="info" action={actions}>
      You have an unsaved draft from <Time at={draft.offered.savedAt} sentence />.
    </Banner>
  );
}
