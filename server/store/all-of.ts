// Work in flight together in one transaction: it ends when all of it has ended, so that nothing is sent behind a failure.

/** Throws the first failure in the order of the list. */
export async function allOf<T>(underWay: readonly Promise<T>[]): Promise<T[]> {
  const results = await Promise.allSettled(underWay);
  return results.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
