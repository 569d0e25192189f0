// The house rules that a machine can check. Sizes and nesting are hard limits; exceptions stand in `exceptions` with a reason and may only shrink.
import js from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** Files that may break one rule, and why. */
const exceptions = [
  { files: ['server/config.ts'], rules: { 'no-restricted-properties': 'off' }, reason: 'the one reader of the environment' },
  {
    files: ['server/bin/**/*.ts'],
    rules: { 'no-restricted-properties': 'off' },
    reason: 'programs read the environment and end the process',
  },
  { files: ['server/clock.ts'], rules: { 'no-restricted-properties': 'off' }, reason: 'timeLimit is made of AbortSignal.timeout' },
  {
    files: ['server/tools/wasm/sandbox-thread.mjs'],
    rules: { 'max-lines-per-function': 'off', 'max-params': 'off' },
    reason: 'WASI gives the parameters, and its functions share the state of one run',
  },
];

/**
 * The program of types that a file belongs to; a later one wins. With a list of programs for each file, all before the right one are built too,
 * and each of the large ones takes a gigabyte.
 */
const programs = [
  { files: ['shared/**/*.ts'], project: 'shared/tsconfig.json' },
  { files: ['server/**/*.ts'], project: 'server/tsconfig.json' },
  { files: ['renderer/**/*.{ts,tsx}'], project: 'renderer/tsconfig.json' },
  { files: ['electron/**/*.ts', 'electron.vite.config.ts'], project: 'electron/tsconfig.json' },
  {
    files: [
      '{shared,server}/**/*.test.ts',
      'server/testing/**/*.ts',
      'bench/**/*.ts',
      'scripts/**/*.ts',
      'renderer/build/**/*.ts',
      'renderer/vite.config.ts',
      'vitest.config.ts',
    ],
    project: 'tsconfig.test.json',
  },
  { files: ['e2e/**/*.ts', 'bench/ui/**/*.ts', 'playwright.config.ts'], project: 'e2e/tsconfig.json' },
];

const sizes = {
  'max-lines': ['error', { max: 500, skipBlankLines: false, skipComments: false }],
  'max-lines-per-function': ['error', { max: 70, skipComments: true }],
  'max-params': ['error', 3],
  'max-depth': ['error', 3],
};

const PROCESS = [
  { object: 'process', property: 'env', message: 'Only server/config.ts and bin/ read the environment.' },
  { object: 'process', property: 'exit', message: 'Only bin/ ends the process.' },
];

const NO_BARRELS = [
  { selector: 'ExportAllDeclaration', message: 'No barrels: import from the file that defines it.' },
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only.' },
];

const RAW_READ = {
  selector:
    "MemberExpression[computed=true][property.type='Literal']:matches([object.name=/^(spec|status)$/], [object.property.name=/^(spec|status)$/])",
  message: 'Read objects through their kind: specOf, statusOf (shared/kinds/read.ts, in the console renderer/kinds/read.ts).',
};

/** Test files of a worker share their modules, and a replaced module breaks when a file moves. */
const NO_MODULE_MOCKS = {
  selector: "CallExpression[callee.object.name='vi'][callee.property.name=/^(mock|doMock)$/]",
  message: 'Replace no modules: give the code a fake port; in the console, answer its calls with serve (renderer/testing/fake-link.ts).',
};

const NO_SHORT_WAITS = {
  selector: "CallExpression[callee.object.name='vi'][callee.property.name=/^waitFor$|^waitUntil$/][arguments.length<2]",
  message: 'The default limit of one second is too short for a busy machine: use expect.poll, waitFor of Testing Library, or a limit.',
};

const SERVER_SYNTAX = [
  ...NO_BARRELS,
  {
    selector: "CallExpression[callee.object.name='tx'][callee.property.name=/^(insert|update|delete)Object$/]",
    message: 'Objects are written through the registry: Registry.within, or registry/own-writes.ts.',
  },
];

export default tseslint.config(
  {
    ignores: ['**/dist/**', 'out/**', '**/node_modules/**', '**/*.d.cts', 'renderer/public/**', '.svc-data/**'],
  },
  js.configs.recommended,
  ...tseslint.configs.recommendedTypeChecked,
  ...programs.map(({ files, project }) => ({
    files,
    languageOptions: { parserOptions: { project, tsconfigRootDir: import.meta.dirname } },
  })),
  {
    rules: {
      ...sizes,
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
      'no-restricted-properties': ['error', ...PROCESS],
      'no-restricted-syntax': ['error', ...NO_BARRELS],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
    },
  },
  {
    files: ['renderer/**/*.{ts,tsx}'],
    plugins: { 'react-hooks': reactHooks },
    rules: {
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      // Handlers may be async: what fails in them is shown by the mutation they start.
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: false } }],
      'no-restricted-syntax': [
        'error',
        ...NO_BARRELS,
        RAW_READ,
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: 'Untrusted text is rendered as text.' },
        { selector: "JSXOpeningElement[name.name='form']", message: 'Use Form of renderer/ui, which Ctrl-Enter submits.' },
        {
          selector: "JSXOpeningElement[name.name='aside']",
          message: 'Use PagePanel of renderer/inspector: one panel is visible at the right.',
        },
        { selector: "JSXAttribute[name.name='autoFocus']", message: 'Move focus in an effect, where it can be given back.' },
      ],
    },
  },
  {
    files: [
      '**/*.test.{ts,tsx}',
      'playwright.config.ts',
      'e2e/**/*.ts',
      'renderer/testing/**',
      'renderer/vite.config.ts',
      'electron.vite.config.ts',
      'electron/testing/**',
      'server/testing/**/*.ts',
      'bench/**/*.ts',
      'vitest.config.ts',
      'scripts/**/*.ts',
    ],
    rules: {
      'max-lines-per-function': 'off',
      'max-params': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/only-throw-error': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-syntax': ['error', NO_MODULE_MOCKS, NO_SHORT_WAITS],
      'no-console': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: ['server/**/*.ts'],
    ignores: ['server/testing/**', '**/*.test.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...SERVER_SYNTAX, RAW_READ],
      'no-restricted-properties': [
        'error',
        ...PROCESS,
        { object: 'AbortSignal', property: 'timeout', message: 'Use timeLimit (server/clock.ts): it fires also when combined.' },
      ],
    },
  },
  {
    files: ['server/registry/**/*.ts', 'server/store/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', ...NO_BARRELS, RAW_READ] },
  },
  {
    // A rule with mistakes is read field by field, so that it denies; Kubernetes has objects of its own.
    files: ['server/governance/read-rules.ts', 'server/tools/isolation/kubernetes/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: { 'no-restricted-syntax': ['error', ...SERVER_SYNTAX] },
  },
  // Programs in plain JavaScript: the compiler checks their types (scripts/tsconfig.json), except in the double of Electron; they print, and read the environment.
  {
    files: ['**/*.{mjs,cjs}', 'eslint.config.js'],
    ...tseslint.configs.disableTypeChecked,
    languageOptions: {
      ...tseslint.configs.disableTypeChecked.languageOptions,
      globals: {
        process: 'readonly',
        console: 'readonly',
        performance: 'readonly',
        Buffer: 'readonly',
        setTimeout: 'readonly',
        clearTimeout: 'readonly',
        URL: 'readonly',
        TextEncoder: 'readonly',
        WebAssembly: 'readonly',
        SharedArrayBuffer: 'readonly',
        Atomics: 'readonly',
        crypto: 'readonly',
      },
    },
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      '@typescript-eslint/switch-exhaustiveness-check': 'off',
      'no-console': 'off',
      'no-restricted-properties': 'off',
      'no-restricted-syntax': 'off',
    },
  },
  {
    files: ['**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: {
        __dirname: 'readonly',
        Response: 'readonly',
        // Of the page that page-script.cjs runs in.
        window: 'readonly',
        location: 'readonly',
        addEventListener: 'readonly',
        Element: 'readonly',
        btoa: 'readonly',
      },
    },
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    // The entry and the adapter of Electron: they pass arguments, environment and exit codes on.
    files: ['electron/main.ts', 'electron/platform.ts', 'electron/preload.ts'],
    rules: { 'no-restricted-properties': 'off' },
  },
  {
    files: ['electron/core/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { paths: ['electron', 'electron-updater'], patterns: ['../platform*', '../main*', '../preload*', '../updater*'] },
      ],
    },
  },
  // A fixture says by its pattern what it needs; needing nothing is an empty one.
  { files: ['e2e/**/*.ts'], rules: { 'no-empty-pattern': 'off' } },
  ...exceptions.map(({ files, rules }) => ({ files, rules })),
);
