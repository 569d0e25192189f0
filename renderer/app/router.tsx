// The addresses of the console and the page behind each. Every page is a chunk of its own.
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { withBase } from '../ui/link/base-path.ts';
import { pageAddress } from '../navigation/addresses.ts';
import { NotFoundPage } from '../ui/feedback/NotFoundPage.tsx';
import { loadCode } from '../ui/load-code.ts';
import { parseSearch, stringifySearch } from '../navigation/search-text.ts';
import { RouteErrorPage } from './RouteErrorPage.tsx';
import { RoutePending } from '../ui/feedback/RoutePending.tsx';
import { Shell } from './Shell.tsx';
import { lastNamespace } from '../navigation/last-namespace.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: () => <NotFoundPage />, errorComponent: RouteErrorPage });

type Load = () => Promise<Record<string, unknown>>;

const dashboard: Load = () => import('../features/dashboard/DashboardPage.tsx');
const inbox: Load = () => import('../features/approvals/inbox/InboxPage.tsx');
const runs: Load = () => import('../features/runs/list/RunsPage.tsx');
const run: Load = () => import('../features/runs/run/RunPage.tsx');
const compare: Load = () => import('../features/runs/compare/ComparePage.tsx');
const workers: Load = () => import('../features/workers/WorkersPage.tsx');
const simulator: Load = () => import('../features/simulator/SimulatorPage.tsx');
const events: Load = () => import('../features/system/EventsPage.tsx');
const capabilities: Load = () => import('../features/system/CapabilitiesPage.tsx');
const tokens: Load = () => import('../features/settings/TokensPage.tsx');
const users: Load = () => import('../features/people/UsersPage.tsx');
const account: Load = () => import('../features/people/AccountPage.tsx');
const settings: Load = () => import('../features/settings/SettingsPage.tsx');
const welcome: Load = () => import('../features/tour/WelcomePage.tsx');
const kindList: Load = () => import('../features/explorer/KindListPage.tsx');
const object: Load = () => import('../features/explorer/ObjectPage.tsx');
const create: Load = () => import('../features/explorer/CreatePage.tsx');
const importing: Load = () => import('../features/explorer/ImportPage.tsx');
const bundle: Load = () => import('../features/bundles/BundlePage.tsx');
const session: Load = () => import('../features/sessions/SessionPage.tsx');
const newSession: Load = () => import('../features/sessions/NewSessionPage.tsx');
const system: Load = () => import('../features/designer/SystemPage.tsx');
const newSystem: Load = () => import('../features/designer/NewSystemPage.tsx');
const newExperiment: Load = () => import('../features/experiments/NewExperimentPage.tsx');
const agents: Load = () => import('../features/a2a/AgentsPage.tsx');
const help: Load = () => import('../features/help/HelpPage.tsx');

function page(path: string, load: Load, component: string) {
  const lazy = lazyRouteComponent(() => loadCode(load), component);
  return createRoute({ getParentRoute: () => root, path, component: lazy, errorComponent: RouteErrorPage });
}

/** A redirect of the router, not of a component: the code of the dashboard loads while the server still says who is signed in. */
const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => redirect({ href: pageAddress(lastNamespace(), 'dashboard'), replace: true, throw: true }),
});

/** Address that remains when a person removes the end of a longer one. */
const namespaceHome = createRoute({
  getParentRoute: () => root,
  path: '/n/$ns',
  beforeLoad: ({ params }) => redirect({ href: pageAddress(params.ns, 'dashboard'), replace: true, throw: true }),
});

const routeTree = root.addChildren([
  home,
  namespaceHome,
  page('/welcome', welcome, 'WelcomePage'),
  page('/n/$ns/dashboard', dashboard, 'DashboardPage'),
  page('/n/$ns/inbox', inbox, 'InboxPage'),
  page('/n/$ns/tasks', runs, 'RunsPage'),
  page('/n/$ns/tasks/$name', run, 'RunPage'),
  page('/n/$ns/compare', compare, 'ComparePage'),
  page('/n/$ns/workers', workers, 'WorkersPage'),
  page('/n/$ns/simulator', simulator, 'SimulatorPage'),
  page('/n/$ns/tokens', tokens, 'TokensPage'),
  page('/n/$ns/users', users, 'UsersPage'),
  page('/n/$ns/account', account, 'AccountPage'),
  page('/n/$ns/events', events, 'EventsPage'),
  page('/n/$ns/capabilities', capabilities, 'CapabilitiesPage'),
  page('/n/$ns/settings', settings, 'SettingsPage'),
  page('/n/$ns/new/agent-systems', newSystem, 'NewSystemPage'),
  page('/n/$ns/new/$plural', create, 'CreatePage'),
  page('/n/$ns/import', importing, 'ImportPage'),
  page('/n/$ns/bundle', bundle, 'BundlePage'),
  page('/n/$ns/agent-systems/$name', system, 'SystemPage'),
  page('/n/$ns/chat', newSession, 'NewSessionPage'),
  page('/n/$ns/sessions/$name', session, 'SessionPage'),
  page('/n/$ns/experiment', newExperiment, 'NewExperimentPage'),
  page('/n/$ns/a2a', agents, 'AgentsPage'),
  page('/n/$ns/help', help, 'HelpPage'),
  page('/n/$ns/$plural', kindList, 'KindListPage'),
  page('/n/$ns/$plural/$name', object, 'ObjectPage'),
]);

export const router = createRouter({
  routeTree,
  basepath: withBase('/'),
  parseSearch,
  stringifySearch,
  defaultPendingComponent: RoutePending,
  defaultPendingMs: 150,
  // A loaded page is shown at once: delaying it so that the placeholder does not flash would cost half a second.
  defaultPendingMinMs: 0,
  defaultErrorComponent: RouteErrorPage,
  defaultNotFoundComponent: () => <NotFoundPage />,
  scrollRestoration: false,
});
