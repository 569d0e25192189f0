// Rules about the tree beyond the linter: headers, names, the one list of kinds, links and standing alone.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { kinds } from '@svc/shared/kinds';
import { files, read, root } from './tree.ts';

const sources = files(/\.tsx?$/).filter((path) => !/\.d\.ts$/.test(path));
const production = sources.filter((path) => !/\.test\.tsx?$|^(scripts|bench|e2e)\/|^(server|renderer)\/testing\//.test(path));

/** Anchor that GitHub gives a heading. */
const anchorOf = (heading: string): string =>
  heading
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .trim()
    .replaceAll(' ', '-');

describe('every source file', () => {
  test('begins with a comment that states its purpose', () => {
    const bare = production.filter((path) => !/^(#!.*\n)?(\/\/ |\/\*\*)/.test(read(path)));
    expect(bare).toEqual([]);
  });

  test('has a kebab-case name, or the name of its one component, and is not called utils, common, helper or manager', () => {
    const odd = sources.filter((path) => {
      const name = path.split('/').at(-1) ?? '';
      const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.tsx?$/.test(name);
      const component = /^[A-Z][A-Za-z0-9]*(\.test)?\.tsx$/.test(name);
      return !(kebab || component) || /^(utils?|common|helpers?|manager|base|misc)\.tsx?$/i.test(name);
    });
    expect(odd).toEqual([]);
  });

  test('named after a component exports it', () => {
    const other = production.filter((path) => {
      const name = /([A-Z][A-Za-z0-9]*)\.tsx$/.exec(path.split('/').at(-1) ?? '')?.[1];
      return name !== undefined && !new RegExp(`export (class|const|function) ${name}\\b`).test(read(path));
    });
    expect(other).toEqual([]);
  });

  test('contains no TODO, @ts-ignore or .only', () => {
    const left = sources.filter(
      (path) => path !== 'scripts/tidy/tidy.test.ts' && /\b(TODO|FIXME|XXX|HACK)\b|@ts-ignore|\.only\(/.test(read(path)),
    );
    expect(left).toEqual([]);
  });
});

describe('the list of kinds', () => {
  test('is defined only in shared/kinds: no other file lists most of the kinds', () => {
    const names = kinds.map((kind) => kind.kind);
    const copies = production
      .filter((path) => !path.startsWith('shared/kinds/'))
      .filter((path) => {
        const text = read(path);
        return names.filter((name) => text.includes(`'${name}'`)).length > names.length / 2;
      });
    expect(copies).toEqual([]);
  });

  test('is unknown to generic code: a branch on one kind is a field of its definition', () => {
    const rooms =
      /^(server\/(registry|store|manifest|http|cli)|renderer\/(build|editor|features\/explorer|form|inspector|kinds|live|navigation|ui|yaml))\//;
    // Routes and verbs that serve one kind, or the few kinds of one thing.
    const ofOneKind =
      /^server\/http\/.*(chat|sessions?|tasks?|worker)[^/]*$|^server\/cli\/.*(approval|decision|logs|mcp|run|session|task)[^/]*$/;
    const branch = new RegExp(
      `[!=]== '(${kinds.map((kind) => kind.kind).join('|')})'|\\[['"](${kinds.map((kind) => kind.kind).join('|')})['"]`,
    );
    expect(production.filter((path) => rooms.test(path) && !ofOneKind.test(path) && branch.test(read(path)))).toEqual([]);
  });
});

describe('documents', () => {
  test('link only to files that exist', () => {
    const broken = files(/\.md$/).flatMap((path) =>
      [...read(path).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)]
        .map((match) => match[1] ?? '')
        .filter((target) => !/^[a-z]+:/.test(target) && !existsSync(join(root, dirname(path), target)))
        .map((target) => `${path} → ${target}`),
    );
    expect(broken).toEqual([]);
  });

  test('link only to headings that exist', () => {
    const pages = new Map(files(/\.md$/).map((path) => [path, read(path).replace(/^```.*?^```/gms, '')]));
    const anchors = (path: string) => [...(pages.get(path) ?? '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));
    const broken = [...pages].flatMap(([path, text]) =>
      [...text.matchAll(/\]\(([^):#\s]*)#([^)]+)\)/g)]
        .map(([, target = '', anchor = '']) => ({ to: target === '' ? path : join(dirname(path), target), anchor }))
        .filter(({ to, anchor }) => pages.has(to) && !anchors(to).includes(anchor))
        .map(({ to, anchor }) => `${path} → ${to}#${anchor}`),
    );
    expect(broken).toEqual([]);
  });

  test('ARCHITECTURE.md maps every folder of the server and the console, and names only files that exist', () => {
    const map = read('ARCHITECTURE.md');
    const folders = new Set(sources.flatMap((path) => /^(server|renderer)\/[^/]+(?=\/)/.exec(path)?.[0] ?? []));
    const unmapped = [...folders].filter(
      (folder) => ![folder, folder.replace(/^[a-z]+\//, '')].some((name) => map.includes(`\`${name}/\``)),
    );
    const missing = [...map.matchAll(/`([\w./-]+\.tsx?)`/g)]
      .map(([, path = '']) => path)
      .filter((path) => !sources.some((source) => source === path || source.endsWith(`/${path}`)));
    expect({ unmapped, missing }).toEqual({ unmapped: [], missing: [] });
  });

  test('start svcctl and svcd with npx, as a checkout has them', () => {
    const installed = files(/\.md$/).flatMap((path) =>
      (read(path).match(/^```.*?^```/gms) ?? [])
        .flatMap((block) => block.match(/^(?:\$ )?svc(?:ctl|d) .*$/gm) ?? [])
        .map((line) => `${path}: ${line}`),
    );
    expect(installed).toEqual([]);
  });

  test('are self-contained: no file refers to documents outside the repository', () => {
    const paths = /\.\.\/shared\/(SPEC|DECISIONS)|\/work\//;
    const citation = /(\/\/|\/?\*|#).*\b(SPEC|DECISIONS|INTEROP)(\.md)?\b|\bARCHITECTURE section/;
    const outside = files(/\.(tsx?|css|html|mjs|cjs|md|json|yaml|yml)$/).filter(
      (path) =>
        !path.startsWith('scripts/tidy/') &&
        path !== 'package-lock.json' &&
        (paths.test(read(path)) || (!path.endsWith('.json') && citation.test(read(path)))),
    );
    expect(outside).toEqual([]);
  });
});
