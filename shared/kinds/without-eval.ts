// For pages whose content security policy forbids code made from text, which zod makes of schemas where it may. Loaded before any schema is.
import { z } from 'zod';

/** Has effect on schemas that are made afterwards, so it is called before the kinds are loaded. */
export function withoutEval(): void {
  z.config({ jitless: true });
}
