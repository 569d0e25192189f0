// Memory of values computed from texts, with a bound: a new text takes the place of the least recently used one.

/** Computes the value of a text once while it is remembered. A text whose computation throws is not remembered. */
export function boundedMemo<Value>(max: number, compute: (text: string) => Value): (text: string) => Value {
  // In the order of their last use.
  const known = new Map<string, Value>();
  return (text) => {
    const value = known.has(text) ? (known.get(text) as Value) : compute(text);
    known.delete(text);
    known.set(text, value);
    const [oldest] = known.keys();
    if (known.size > max && oldest !== undefined) known.delete(oldest);
    return value;
  };
}
