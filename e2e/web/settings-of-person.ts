// Settings of the person, which a server keeps for all tests of a file.
import type { World } from '../world/world.ts';

/** Restores the defaults, including settings that a test changed in passing. */
export async function forgetSettings(world: World): Promise<void> {
  const { result } = (await world.call('GET', '/trpc/preferences.get')) as { result: { data: object } };
  await world.call('POST', '/trpc/preferences.set', Object.fromEntries(Object.keys(result.data).map((key) => [key, null])));
}
