// The one place that renders announce() for screen readers. Mounted once, in the shell.
import { useAnnouncement } from './announcer.ts';

export function LiveRegion() {
  const text = useAnnouncement();
  return (
    <div role="status" aria-live="polite" aria-atomic className="sr-only">
      {text}
    </div>
  );
}
