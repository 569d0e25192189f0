// The server's clock as this tab knows it: countdowns and ages go by it, not by a machine whose clock is wrong.
let offsetMs = 0;

/** From an answer that carried the server's time: half of the round trip is taken for the way back. */
export function learnServerTime(serverTime: string, asked: number, answered: number): void {
  const server = Date.parse(serverTime);
  if (Number.isFinite(server)) offsetMs = server - (asked + answered) / 2;
}

/** Milliseconds since the epoch, as the server would say. */
export function serverNow(): number {
  return Date.now() + offsetMs;
}
