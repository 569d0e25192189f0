// The layers of ARCHITECTURE.md as rules: dependencies point one way, vendor libraries live in one folder each, nothing is circular.

/** Each folder of server/ with the server folders it may import. Order of the lists follows the layering. */
const may = {
  'server/store': [],
  'server/secrets': ['server/store'],
  'server/egress': ['server/engine/ports'],
  'server/checks': [],
  'server/manifest': ['server/checks'],
  'server/log': [],
  'server/telemetry': [
    'server/log',
    'server/engine/observer',
    'server/engine/core/entries',
    'server/engine/core/state',
    'server/store/store',
  ],
  'server/registry': ['server/store', 'server/secrets'],
  'server/auth': ['server/store', 'server/registry'],
  'server/statistics': ['server/store', 'server/registry'],
  'server/preferences': ['server/store', 'server/registry'],
  'server/engine': ['server/store', 'server/registry', 'server/log', 'server/decisions'],
  'server/models': ['server/engine/ports', 'server/secrets', 'server/egress'],
  'server/tools': [
    'server/engine/ports',
    'server/secrets',
    'server/egress',
    'server/store/store',
    'server/store/write-race',
    'server/store/expiring-documents',
    'server/store/outside-first',
    'server/store/wake-item',
    'server/checks',
    'server/log',
  ],
  'server/governance': ['server/engine/ports', 'server/store', 'server/registry'],
  'server/decisions': ['server/store', 'server/secrets', 'server/registry'],
  // It listens to the parts that it audits, through their ports.
  'server/audit': [
    'server/store',
    'server/log',
    'server/telemetry',
    'server/registry',
    'server/auth/auth',
    'server/decisions/record-decision',
    'server/engine/observer',
    'server/engine/core/entries',
    'server/engine/core/state',
  ],
  'server/controllers': ['server/store', 'server/registry', 'server/engine', 'server/log'],
  'server/sessions': ['server/store', 'server/registry', 'server/engine', 'server/log'],
  'server/worker': ['server/store', 'server/registry', 'server/engine', 'server/log'],
  'server/http': [
    'server/store',
    'server/registry',
    'server/engine',
    'server/auth',
    'server/manifest',
    'server/log',
    'server/telemetry',
    'server/governance',
    'server/decisions',
    'server/preferences',
    'server/statistics/statistics',
    'server/sessions/session-service',
    'server/sessions/chat-service',
  ],
  // The store only for migrate-store, which copies one database into another and speaks to no server. Suggestions are shared with the flags of svcd.
  'server/cli': ['server/manifest', 'server/store/copy', 'server/decisions/decision-crypto', 'server/suggesting-command'],
  'server/docs': ['server/config', 'server/cli', 'server/http'],
};
const anyoneMay = ['server/clock', 'server/wake-up', 'server/installation'];

const layers = Object.entries(may).map(([folder, allowed]) => ({
  name: `layer-${folder.replace('/', '-')}`,
  severity: 'error',
  comment: `${folder} may import ${allowed.join(', ') || 'no other server folder'}`,
  from: { path: `^${folder}/`, pathNot: '\\.test\\.ts$' },
  to: { path: '^server/', pathNot: [folder, ...allowed, ...anyoneMay].map((p) => `^${p}(/|\\.ts$)`) },
}));

/** Vendor library → the only folder that may import it. */
const vendors = {
  express: '^server/http/',
  pino: '^server/log/',
  '@photostructure/sqlite': '^server/store/sqlite/',
  pg: '^server/(store/postgres|tools/queue)/',
  '@opentelemetry': '^server/telemetry/',
  commander: '^server/(cli|bin|config)',
  'prom-client': '^server/(telemetry|http)/',
  ajv: '^server/tools/',
  dockerode: '^server/tools/isolation/docker/',
  '@grpc': '^server/tools/grpc/',
  '@nats-io': '^server/tools/queue/',
  croner: '^shared/',
  '@trpc/server': '^server/http/trpc/',
  ws: '^server/http/',
};

/** The same for the console: what is heavy stays in chunks of its own. */
const rendererVendors = {
  '@xyflow': '^renderer/(graph|features/designer)/',
  '@dagrejs': '^renderer/graph/',
  '@codemirror': '^renderer/editor/',
  '@trpc': '^renderer/live/',
  cmdk: '^renderer/app/',
  'react-markdown': '^renderer/ui/',
};
const vendorRules = Object.entries(vendors).map(([library, home]) => ({
  name: `vendor-${library.replace(/\W+/g, '-')}`,
  severity: 'error',
  from: { path: '^(server|shared)/', pathNot: [home, '\\.test\\.ts$', '^server/testing/'] },
  to: { path: `^node_modules/${library}/` },
}));

const rendererVendorRules = Object.entries(rendererVendors).map(([library, home]) => ({
  name: `renderer-vendor-${library.replace(/\W+/g, '-')}`,
  severity: 'error',
  from: { path: '^renderer/', pathNot: [home, '\\.test\\.tsx?$', '^renderer/testing/'] },
  to: { path: `^node_modules/${library}/` },
}));

module.exports = {
  forbidden: [
    // An import of types alone is gone when the code runs.
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } } },
    {
      name: 'shared-is-pure',
      severity: 'error',
      from: { path: '^shared/', pathNot: '\\.test\\.ts$' },
      to: { path: '^(server|renderer|bench|e2e)/' },
    },
    {
      name: 'shared-has-no-node',
      severity: 'error',
      comment: 'shared runs in the browser too',
      from: { path: '^shared/', pathNot: '\\.test\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'bin-is-the-top',
      severity: 'error',
      from: { path: '^server/', pathNot: '^server/(bin|testing)/' },
      to: { path: '^server/bin/' },
    },
    {
      name: 'only-app-composes',
      severity: 'error',
      comment: 'app.ts is the only file that knows every part',
      from: { path: '^server/', pathNot: ['^server/(app|bin|testing|quickstart)', '\\.test\\.ts$'] },
      to: { path: '^server/app\\.ts$' },
    },
    {
      name: 'only-app-takes-its-parts-from-compose',
      severity: 'error',
      comment: 'server/compose is app.ts in several files',
      from: { path: '^server/', pathNot: ['^server/(app|bin|compose)', '\\.test\\.ts$'] },
      to: { path: '^server/compose/' },
    },
    {
      name: 'cli-loads-the-store-when-asked',
      severity: 'error',
      comment: 'every other command starts without a database driver',
      from: { path: '^server/cli/', pathNot: '\\.test\\.ts$' },
      to: { path: '^server/store/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'renderer-is-a-client',
      severity: 'error',
      comment: 'the console knows the server by the type of its procedures only',
      from: { path: '^renderer/' },
      to: { path: '^(server|bench|e2e)/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'app-is-the-roof',
      severity: 'error',
      comment: 'renderer/app puts the rooms together; nothing imports it',
      from: { path: '^renderer/', pathNot: '^renderer/app/' },
      to: { path: '^renderer/app/' },
    },
    {
      name: 'kit-knows-no-feature',
      severity: 'error',
      comment: 'features are made of the other rooms, which know none of them',
      from: { path: '^renderer/', pathNot: '^renderer/(app|features)/' },
      to: { path: '^renderer/features/' },
    },
    {
      name: 'features-share-their-models',
      severity: 'error',
      comment: 'a feature imports nothing of another but its model/ and parts/',
      from: { path: '^renderer/features/([^/]+)/' },
      to: { path: '^renderer/features/', pathNot: ['^renderer/features/$1/', '^renderer/features/[^/]+/(model|parts)/'] },
    },
    ...layers,
    ...vendorRules,
    ...rendererVendorRules,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'default'],
      extensions: ['.ts', '.tsx', '.js', '.json'],
    },
  },
};
