// Judges hosts whose address is known without a lookup: IP addresses in every spelling, and names of the own machine. Pure. Names are judged when they are dialled.
import { isIP } from 'node:net';
import { classifyAddress, mayDial } from './addresses.ts';
import { BlockedAddressError } from './guarded-connector.ts';

const OWN_NAME = /(?:^|\.)localhost\.?$/i;

/** The error that dialling the host would end in; undefined for one that may be dialled or whose address is not known. */
export function knownBlocked(host: string, allowPrivate: boolean): BlockedAddressError | undefined {
  const url = `http://${isIP(host) === 6 ? `[${host}]` : host}/`;
  const canonical = URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '') : host;
  const address = OWN_NAME.test(canonical) ? '127.0.0.1' : canonical;
  return isIP(address) === 0 || mayDial(classifyAddress(address), allowPrivate) ? undefined : new BlockedAddressError(host, address);
}
