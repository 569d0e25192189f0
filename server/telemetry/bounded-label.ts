// Keeps the values of a metric's label few, whatever names come along.

/** Label of every value past the bound. */
const OTHER = 'other';

/** Passes the first `max` different values on and calls all later ones `other`, so that a metric cannot grow without end. */
export function createBoundedLabel(max: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= max) return OTHER;
    known.add(value);
    return value;
  };
}
