// Search parameters of the dashboard: the time window of its numbers, and charts or tables.
import { choiceParam } from '../../navigation/search-state.ts';

export const DASHBOARD_PARAMS = { window: choiceParam(['24h', '7d']), view: choiceParam(['charts', 'table']) };

export const WINDOW_HOURS = { '24h': 24, '7d': 168 } as const;
