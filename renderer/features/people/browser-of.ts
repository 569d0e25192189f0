// Name of a browser and its system, from the description that it gives of itself. A hint for people; nothing depends on it. Pure.

const BROWSERS = [
  ['Edg/', 'Edge'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
  ['curl/', 'curl'],
] as const;
const SYSTEMS = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac OS X', 'Linux'] as const;

export function browserOf(agent: string): string {
  const browser = BROWSERS.find(([mark]) => agent.includes(mark))?.[1] ?? 'Unknown browser';
  const system = SYSTEMS.find((mark) => agent.includes(mark));
  return system === undefined ? browser : `${browser} on ${system.replace('Mac OS X', 'macOS')}`;
}
