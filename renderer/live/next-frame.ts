// Collects changes in quick succession until the browser draws again.

/** Returns a function that cancels it. */
export function nextFrame(publish: () => void): () => void {
  const frame = requestAnimationFrame(publish);
  // A hidden tab has no frames, yet what it shows grows.
  const timer = setTimeout(publish, 250);
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
