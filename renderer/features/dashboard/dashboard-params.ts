// What the address of the dashboard says: how far back its figures go, and whether they are drawn or written.
import { choiceParam } from '../../navigation/search-state.ts';

export const DASHBOARD_PARAMS = { window: choiceParam(['24h', '7d']), view: choiceParam(['charts', 'table']) };

export const WINDOW_HOURS = { '24h': 24, '7d': 168 } as const;
