// Profile of the desktop app that this page shows: another server, through the gateway of the server of this machine.
import { BASE_PATH } from '../ui/link/base-path.ts';

/** Undefined: the page shows the server that it came from. */
export const PROFILE_ID = /^\/p\/([a-z0-9][a-z0-9-]*)$/.exec(BASE_PATH)?.[1];

export const PROFILES_KEY = ['desktop', 'profiles'] as const;

export const PROFILE_STATUS_KEY = ['gateway', 'status'] as const;
