// The one place from which announce() is heard. Stands once, in the shell.
import { useAnnouncement } from './announcer.ts';

export function LiveRegion() {
  const text = useAnnouncement();
  return (
    <div role="status" aria-live="polite" aria-atomic className="sr-only">
      {text}
    </div>
  );
}
