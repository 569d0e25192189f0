// The server's clock as estimated by this tab: countdowns and ages use it, so that a wrong local clock does no harm.
let offsetMs = 0;

/** Derived from an answer with the server's time; assumes that the answer took half of the round trip. */
export function learnServerTime(serverTime: string, sentAt: number, receivedAt: number): void {
  const server = Date.parse(serverTime);
  if (Number.isFinite(server)) offsetMs = server - (sentAt + receivedAt) / 2;
}

/** Milliseconds since the epoch, by the server's clock. */
export function serverNow(): number {
  return Date.now() + offsetMs;
}
