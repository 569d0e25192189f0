// Resources that the suite created and must remove, however it ends: at the latest as this process exits.
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

/** Runs `remove`, which must not wait, at exit; the returned function takes it off the list once it was done in good order. */
export function atExit(remove: () => void): () => void {
  pending.add(remove);
  return () => pending.delete(remove);
}
