// Forwards the browser's network events to the connection: offline at once, and a retry at once when the network is back.
import { reconnectNow } from '../../live/api.ts';
import { connection } from '../../live/connection.ts';

/** Listens until the returned function is called. */
export function followNetwork(): () => void {
  const lost = () => connection.offline();
  const hope = () => {
    if (document.visibilityState === 'visible' && connection.state().phase !== 'live') reconnectNow();
  };
  window.addEventListener('offline', lost);
  window.addEventListener('online', hope);
  window.addEventListener('focus', hope);
  document.addEventListener('visibilitychange', hope);
  return () => {
    window.removeEventListener('offline', lost);
    window.removeEventListener('online', hope);
    window.removeEventListener('focus', hope);
    document.removeEventListener('visibilitychange', hope);
  };
}
