// Resources that the suite created and must remove on every exit, at the latest as this process exits.
const pending = new Set<() => void>();

process.on('exit', () => {
  for (const remove of pending) {
    try {
      remove();
    } catch {
      // The next one still counts.
    }
  }
});

/** Runs `remove`, which must be synchronous, at exit; the returned function takes it off the list after a clean removal. */
export function atExit(remove: () => void): () => void {
  pending.add(remove);
  return () => pending.delete(remove);
}
