// The URL under which others reach a listener. Pure.

/** One that listens everywhere is reached on loopback: from this machine at least. */
export function reachableUrl({ host, port }: { readonly host: string; readonly port: number }): string {
  const reached = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host;
  return `http://${reached.includes(':') ? `[${reached}]` : reached}:${port}`;
}
