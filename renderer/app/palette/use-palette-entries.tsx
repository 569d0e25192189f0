// Entries of the palette, by mode: names from the server, actions from the registry, namespaces, kinds.
import { namespaceProblem } from '@svc/shared/resource';
import { searchProblem } from '@svc/shared/search-text';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { CornerDownRight, FilePlus2, Globe, Layers, Pin, PinOff, Plus, Search, TextCursorInput, Zap } from 'lucide-react';
import { useEffect, useState, type ReactNode } from 'react';
import { consolePath } from '../../ui/link/base-path.ts';
import { kindTable } from '../../kinds/kind-table.ts';
import { api } from '../../live/api.ts';
import { useNavigation } from '../../ui/link/navigation.ts';
import { shownError } from '../../ui/feedback/shown-error.ts';
import { useStore } from '../../ui/store.ts';
import { ALL_NAMESPACES, createAddress, inNamespace, kindAddress, objectAddress } from '../../navigation/addresses.ts';
import { kindsTitle } from '../../kinds/kind-titles.ts';
import { kindWord } from '../../features/explorer/object-text.ts';
import { KindIcon } from '../../kinds/KindIcon.tsx';
import { recentNamespaces } from '../../navigation/last-namespace.ts';
import { PINNED_NAMESPACES, SHORTCUT_KEYS, THEME } from '../../preferences/preferences.ts';
import { useScope } from '../../navigation/scope.ts';
import { keysOf, shortcuts, type Shortcut } from '../../shortcuts/registry.ts';
import { usePreference } from '../../preferences/use-preferences.ts';
import { useApprovalEntries } from './use-approval-entries.tsx';
import {
  BEGINS,
  bestFits,
  fit,
  MODE_HINTS,
  namespaceOrder,
  readNames,
  SCATTERED,
  staysWhileSearching,
  type PaletteMode,
} from './palette-model.ts';
import { HitDetail, HITS_MAX, useVerbList, useVerbs, type Hit } from './use-verbs.tsx';
import { recents } from '../../navigation/recents.ts';

export interface PaletteEntry {
  readonly id: string;
  readonly label: ReactNode;
  readonly icon?: ReactNode;
  readonly detail?: ReactNode;
  readonly keys?: string | undefined;
  readonly run?: () => void;
  /** Stays in the palette and sets this text. */
  readonly text?: string;
}

interface PaletteGroup {
  readonly label: string;
  readonly entries: readonly PaletteEntry[];
}

export interface PaletteAnswer {
  readonly groups: readonly PaletteGroup[];
  readonly loading: boolean;
  readonly problem: string | undefined;
}

const BESIDE_HITS_MAX = 6;
const PAUSE_MS = 80;
const NO_GROUPS: readonly PaletteGroup[] = [];

export function usePaletteEntries(mode: PaletteMode, query: string): PaletteAnswer {
  const beside = mode === 'search' && query !== '';
  const actions = useActions(mode === 'help' ? '' : query, beside);
  const kinds = useKinds(query, beside);
  const namespaces = useNamespaces(mode === 'namespaces', query);
  const found = useNames(mode === 'search' ? query : '');
  const texts = useTextSearch(query);
  const verbs = useVerbList(mode === 'search' ? query : '');
  const decisions = grouped('Waiting approvals', useApprovalEntries(mode === 'search' ? query : ''));
  if (mode === 'actions') return { groups: grouped('Actions', actions), loading: false, problem: undefined };
  if (mode === 'kinds') return { groups: grouped('Kinds', kinds), loading: false, problem: undefined };
  if (mode === 'namespaces') return namespaces;
  if (mode === 'help') return { groups: HELP, loading: false, problem: undefined };
  if (query === '') return { groups: [...found.groups, ...grouped('Actions', actions.slice(0, 12))], loading: false, problem: undefined };
  const shownActions = grouped('Actions', actions.slice(0, BESIDE_HITS_MAX));
  const shownKinds = grouped('Kinds', kinds.slice(0, BESIDE_HITS_MAX));
  // A verb such as cancel means the object on the page, not a name that contains it.
  const first = actions.some(({ label }) => typeof label === 'string' && fit(label, query) >= BEGINS);
  const asked = [...decisions, ...grouped('Objects for this verb', verbs.entries)];
  const groups = first
    ? [...shownActions, ...asked, ...found.groups, ...shownKinds]
    : [...asked, ...found.groups, ...shownKinds, ...shownActions];
  // Only beside the answer: the first entry stays selected, and a name that is found comes before.
  const loading = found.loading || verbs.loading;
  return { ...found, loading, groups: loading ? groups : [...groups, ...grouped('Runs', texts)] };
}

function grouped(label: string, entries: readonly PaletteEntry[]): readonly PaletteGroup[] {
  return entries.length === 0 ? NO_GROUPS : [{ label, entries }];
}

const HELP: readonly PaletteGroup[] = [
  {
    label: 'Start with one of these',
    entries: [
      {
        id: 'help-search',
        label: 'Find a resource by name: billing, team-a/billing or agent:billing',
        icon: <TextCursorInput />,
        text: '',
      },
      ...MODE_HINTS.filter((hint) => hint.prefix !== '?').map((hint) => ({
        id: `help-${hint.prefix}`,
        label: hint.label,
        icon: <CornerDownRight />,
        keys: hint.prefix,
        text: hint.prefix,
      })),
    ],
  },
];

interface Fitting<Item> {
  readonly query: string;
  /** Next to server results, letters scattered over a text do not count as a match. */
  readonly strictly: boolean;
  readonly textOf: (item: Item) => string;
}

function fits<Item>(items: readonly Item[], { query, strictly, textOf }: Fitting<Item>): Item[] {
  const found = bestFits(items, query, textOf);
  return strictly ? found.filter((item) => fit(textOf(item), query) > SCATTERED) : found;
}

/** Registered actions without those that only move a selection; actions of the page come first. */
function useActions(query: string, strictly: boolean): PaletteEntry[] {
  const [own] = usePreference(SHORTCUT_KEYS);
  const offered = useStore(shortcuts).filter((shortcut) => shortcut.quiet !== true);
  const themes = useThemeActions();
  const ofPage = ({ group }: Shortcut) => group === 'This page';
  const ordered = [...offered.filter(ofPage), ...themes, ...offered.filter((each) => !ofPage(each))];
  return fits(ordered, { query, strictly, textOf: ({ label, words = '' }) => `${label} ${words}` }).map((shortcut) => ({
    id: `action-${shortcut.id}`,
    label: shortcut.label,
    icon: <Zap />,
    keys: keysOf(shortcut, own),
    run: shortcut.run,
  }));
}

function useThemeActions(): Shortcut[] {
  const [, setTheme] = usePreference(THEME);
  const action = (theme: 'light' | 'dark' | 'system', label: string): Shortcut => ({
    id: `theme.${theme}`,
    keys: undefined,
    label,
    group: 'Appearance',
    run: () => setTheme(theme),
  });
  return [action('dark', 'Dark theme'), action('light', 'Light theme'), action('system', 'Theme of the system')];
}

function useKinds(query: string, strictly: boolean): PaletteEntry[] {
  const { go } = useNavigation();
  const { scope, home } = useScope();
  return fits(kindTable, { query, strictly, textOf: (kind) => `${kindsTitle(kind)} ${kind.shortNames.join(' ')}` }).flatMap((kind) => [
    {
      id: `kind-${kind.plural}`,
      label: kindsTitle(kind),
      icon: <KindIcon kind={kind.kind} />,
      run: () => go(kindAddress(scope, kind.kind)),
    },
    ...(query === '' || kind.serviceManaged
      ? []
      : [
          {
            id: `new-${kind.plural}`,
            label: `New ${kindWord(kind.kind, 1)}`,
            icon: <FilePlus2 />,
            run: () => go(createAddress(home, kind.kind)),
          },
        ]),
  ]);
}

function useNamespaces(isOpen: boolean, query: string): PaletteAnswer {
  const { go } = useNavigation();
  const { data, isPending, error } = useQuery({ ...api.server.namespaces.queryOptions(), enabled: isOpen });
  const to = (namespace: string) => () => {
    const { pathname, search } = window.location;
    go(inNamespace({ pathname: consolePath(pathname), search }, namespace));
  };
  const entry = (namespace: string): PaletteEntry => ({
    id: `namespace-${namespace}`,
    label: namespace,
    icon: <Layers />,
    run: to(namespace),
  });
  const [pinned, setPinned] = usePreference(PINNED_NAMESPACES);
  const { scope } = useScope();
  const known = namespaceOrder(data ?? [], { pinned, recent: recentNamespaces() });
  const fitting = bestFits(known, query, (each) => each).map((namespace) => ({
    ...entry(namespace),
    ...(pinned.includes(namespace) && { icon: <Pin />, detail: 'pinned' }),
  }));
  const isPinned = pinned.includes(scope);
  const pin: PaletteEntry = {
    id: 'namespace-pin',
    label: isPinned ? `Unpin ${scope}` : `Pin ${scope} to the top of this list`,
    icon: isPinned ? <PinOff /> : <Pin />,
    run: () => setPinned((mine) => (isPinned ? mine.filter((each) => each !== scope) : [...mine, scope])),
  };
  const all: PaletteEntry = { id: 'namespace-all', label: 'All namespaces', icon: <Globe />, run: to(ALL_NAMESPACES) };
  const isNew = query !== '' && !known.includes(query) && data !== undefined;
  const problem = isNew ? namespaceProblem(query) : undefined;
  const made: PaletteEntry = {
    id: 'namespace-new',
    label: `New namespace “${query}”`,
    icon: <Plus />,
    detail: 'created with its first object',
    run: to(query),
  };
  const groups = [
    ...grouped('Namespaces', [...(bestFits(['All namespaces'], query, (each) => each).length > 0 ? [all] : []), ...fitting]),
    ...(isNew && problem === undefined ? grouped('New', [made]) : NO_GROUPS),
    ...(scope === ALL_NAMESPACES || query !== '' ? NO_GROUPS : grouped('This namespace', [pin])),
  ];
  const message = error ? shownError(error).message : groups.length === 0 && problem !== undefined ? `A namespace ${problem}.` : undefined;
  return { groups, loading: isOpen && isPending, problem: message };
}

/** Follows the text once typing pauses, so that not every key sends a request. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

function useNames(query: string): PaletteAnswer {
  const { go } = useNavigation();
  const { scope, namespace } = useScope();
  const { verb, text } = readNames(query);
  const verbs = useVerbs(verb);
  const paused = usePaused(text);
  const input = { text: paused, limit: HITS_MAX, ...(namespace !== undefined && { namespace }) };
  const { data, isFetching, isPlaceholderData, error } = useQuery({
    ...api.resources.search.queryOptions(input),
    enabled: paused !== '',
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  const entry = (hit: Hit): PaletteEntry => ({
    id: `${hit.kind}/${hit.namespace}/${hit.name}`,
    label: hit.name,
    icon: <KindIcon kind={hit.kind} />,
    detail: <HitDetail hit={hit} foreign={hit.namespace !== namespace} />,
    run: () => go(objectAddress(hit, scope)),
  });
  if (query === '') return { groups: grouped('Recent', recents().slice(0, 6).map(entry)), loading: false, problem: undefined };
  const known = paused === '' ? [] : (data ?? []);
  const hits = isPlaceholderData || paused !== text ? known.filter(({ name }) => staysWhileSearching(name, text)) : known;
  const loading = isFetching || paused !== text;
  const groups = [...(verb === undefined ? grouped('Resources', hits.map(entry)) : NO_GROUPS), ...grouped('Commands', verbs(hits))];
  return { groups, loading, problem: error ? shownError(error).message : undefined };
}

/** The list of runs, searched for the typed words. */
function useTextSearch(query: string): PaletteEntry[] {
  const { go } = useNavigation();
  const { scope } = useScope();
  if (searchProblem(query) !== undefined) return [];
  return [
    {
      id: 'search-runs',
      label: `Search runs for “${query}”`,
      icon: <Search />,
      detail: 'name, input, output, error',
      run: () => go(kindAddress(scope, 'Task', { q: query })),
    },
  ];
}
