import { describe, expect, it } from 'vitest';
import type { StoredObject } from '../store/store.ts';
import { kindByName } from '@svc/shared/kinds';
import { requireRole } from './authorise.ts';
import { formatCursor, parseCursor } from './cursor.ts';
import { readEnvelope } from './envelope.ts';
import { checkPrecondition, readPrecondition } from './precondition.ts';
import type { Role } from './registry.ts';
import { readStringMap } from './string-map.ts';
import { systemClock } from '../clock.ts';
import { createUuidV7, formatUuidV7 } from './uuid-v7.ts';

const key = { kind: 'Agent', namespace: 'default', name: 'a' };
const at = (resourceVersion: number): StoredObject => ({
  ...key,
  uid: 'u',
  resourceVersion,
  generation: 1,
  labels: {},
  annotations: {},
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  spec: {},
  status: {},
});

describe('preconditions', () => {
  it.each([
    ['bare', '5', ['5']],
    ['quoted', '"5"', ['5']],
    ['weak', 'W/"5"', ['5']],
    ['weak without quotes', 'W/5', ['5']],
    ['a list', '"4", "5"', ['4', '5']],
    ['any', '*', ['*']],
    ['empty', '', ['9']],
  ])('reads If-Match: %s, before the body', (_form, ifMatch, versions) => {
    expect(readPrecondition({ ifMatch, bodyVersion: '9' }).versions).toEqual(versions);
  });

  it.each(['', '""', 'W/""', 'W/', ' , '])('refuses If-Match: %s, which must not drop the condition', (ifMatch) => {
    expect(() => readPrecondition({ ifMatch })).toThrow(/must name a version/);
  });

  it('refuses an If-None-Match other than *', () => {
    expect(() => readPrecondition({ ifNoneMatch: '"5"' })).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  it('reports a taken name without a header: a fork or svcctl sent none', () => {
    const use = { version: 'optional', absent: 'create' } as const;
    const check = () => checkPrecondition(key, at(5), { precondition: readPrecondition({ ifNoneMatch: '*' }), use });
    expect(check).toThrow(/already exists, at resourceVersion 5; choose another name, or update that object$/);
  });

  const post = { version: 'optional', absent: 'create' } as const;
  const put = { version: 'required', absent: 'not_found' } as const;
  const patch = { version: 'optional', absent: 'not_found' } as const;
  it.each([
    ['POST creates', post, undefined, {}, undefined],
    ['POST with a version for nothing', post, undefined, { bodyVersion: '1' }, 'conflict'],
    ['POST applies', post, 5, {}, undefined],
    ['POST with the current version', post, 5, { bodyVersion: '5' }, undefined],
    ['POST with a stale version', post, 5, { bodyVersion: '4' }, 'conflict'],
    ['POST create-only over an object', post, 5, { ifNoneMatch: '*' }, 'conflict'],
    ['POST create-only', post, undefined, { ifNoneMatch: '*' }, undefined],
    ['PUT of nothing', put, undefined, {}, 'not_found'],
    ['PUT of nothing with a version', put, undefined, { bodyVersion: '1' }, 'not_found'],
    ['PUT without a version', put, 5, {}, 'conflict'],
    ['PUT with a stale version', put, 5, { bodyVersion: '4' }, 'conflict'],
    ['PUT with the current version', put, 5, { bodyVersion: '5' }, undefined],
    ['PUT whose header wins over a stale body', put, 5, { bodyVersion: '4', ifMatch: 'W/"5"' }, undefined],
    ['PUT whose stale header wins over the body', put, 5, { bodyVersion: '5', ifMatch: '"4"' }, 'conflict'],
    ['PUT with If-Match: *', put, 5, { ifMatch: '*' }, undefined],
    ['PUT with something that is no version', put, 5, { bodyVersion: 'abc' }, 'conflict'],
    ['PATCH of nothing', patch, undefined, {}, 'not_found'],
    ['PATCH without a version', patch, 5, {}, undefined],
    ['PATCH with a stale version', patch, 5, { ifMatch: '4' }, 'conflict'],
  ])('%s', (_title, use, current, inputs, code) => {
    const check = () =>
      checkPrecondition(key, current === undefined ? undefined : at(current), { precondition: readPrecondition(inputs), use });
    if (code) expect(check).toThrow(expect.objectContaining({ code }));
    else expect(check).not.toThrow();
  });

  it('reports in a conflict what the version is and what to do', () => {
    const rule = { precondition: readPrecondition({ bodyVersion: '3' }), use: put };
    expect(() => checkPrecondition(key, at(5), rule)).toThrow(
      'Agent default/a is at resourceVersion 5, not 3; read it again, redo your change and send the new version',
    );
  });
});

describe('roles', () => {
  const roles: Role[] = ['a2a', 'reader', 'writer', 'admin'];
  it.each([
    ['reader', [false, true, true, true]],
    ['writer', [false, false, true, true]],
    ['admin', [false, false, false, true]],
  ] as const)('%s work is open to the roles above it only', (needed, allowed) => {
    const attempts = roles.map((role) => {
      try {
        requireRole({ identity: { method: 'bearer', name: 'x', role }, requestId: '' }, needed, 'this');
        return true;
      } catch (error) {
        expect(error).toMatchObject({ code: 'forbidden', message: `this needs role ${needed}; you have role ${role}` });
        return false;
      }
    });
    expect(attempts).toEqual(allowed);
  });

  it.each([
    ['McpServer', { transport: 'stdio' }, true],
    ['McpServer', { transport: 'http' }, false],
    ['Tool', { type: 'cli', runtime: { isolation_mode: 'none' } }, true],
    ['Tool', { type: 'cli', runtime: { isolation_mode: 'container' } }, false],
    ['Tool', { type: 'http', runtime: { isolation_mode: 'none' } }, false],
    ['Tool', { type: 'wasm', endpoint: 'file:///x.wasm' }, true],
    ['Tool', { type: 'wasm', endpoint: ' FILE:/x.wasm' }, true],
    ['Tool', { type: 'wasm', endpoint: 'https://x/y.wasm#sha256=0' }, false],
    ['Agent', { transport: 'stdio' }, false],
    ['Tool', { type: 'wasm', endpoint: 7 }, false],
    ['Tool', 'no spec', false],
  ])('%s %j is the administrator’s to write: %s', (kind, spec, only) => {
    expect(kindByName(kind)?.adminOnly(spec) !== undefined).toBe(only);
  });
});

describe('cursors', () => {
  it.each([
    ['name', 'default/a'],
    ['createdAt', 'default/a@2026-01-01T00:00:00.000Z'],
    ['-createdAt', 'default/a@2026-01-01T00:00:00.000Z'],
  ] as const)('in order %s round-trip to the same position', (order, text) => {
    expect(formatCursor(at(1), order)).toBe(text);
    expect(parseCursor(text, undefined)).toMatchObject({ namespace: 'default', name: 'a' });
  });

  it('take a bare name in the namespace of the request', () => {
    expect(parseCursor('a', 'team')).toEqual({ namespace: 'team', name: 'a' });
  });

  it.each([
    ['', 'default'],
    ['a', undefined],
    ['a/b/c', undefined],
    ['A B/c', undefined],
    ['ns/', undefined],
    ['ns/a@yesterday', undefined],
    ['ns/a@', undefined],
    ['ns/a@spec.model_ref@1x%00@2026-01-01T00:00:00.000Z', undefined],
    ['ns/a@spec[0]@1x@2026-01-01T00:00:00.000Z', undefined],
  ])('refuse %j in namespace %s', (text, namespace) => {
    expect(() => parseCursor(text, namespace)).toThrow(expect.objectContaining({ code: 'invalid' }));
  });
});

describe('envelopes', () => {
  const read = (body: unknown, name?: string) =>
    readEnvelope({ kind: 'Agent', namespace: 'default', ...(name !== undefined && { name }) }, body);
  const paths = (body: unknown, name?: string) => read(body, name).errors.map((error) => error.path);

  it.each([
    ['a body that is no object', [], undefined, ['']],
    ['another apiVersion', { apiVersion: 'v2', metadata: { name: 'a' } }, undefined, ['apiVersion']],
    ['another kind', { kind: 'Tool', metadata: { name: 'a' } }, undefined, ['kind']],
    ['no name', { metadata: {} }, undefined, ['metadata.name']],
    ['metadata that is no object', { metadata: 'a' }, 'a', ['metadata']],
    ['a name that is no text', { metadata: { name: 5 } }, undefined, ['metadata.name']],
    ['an odd name', { metadata: { name: '-a' } }, undefined, ['metadata.name']],
    ['a reserved name', { metadata: { name: 'watch' } }, undefined, ['metadata.name']],
    ['another name than the path', { metadata: { name: 'b' } }, 'a', ['metadata.name']],
    ['another namespace than the request', { metadata: { name: 'a', namespace: 'team' } }, undefined, ['metadata.namespace']],
    ['labels that are no map', { metadata: { name: 'a', labels: ['x'] } }, undefined, ['metadata.labels']],
    ['a label that is no text', { metadata: { name: 'a', labels: { x: 1 } } }, undefined, ['metadata.labels.x']],
    [
      'everything at once',
      { kind: 'Tool', metadata: { namespace: 'team', annotations: { '': 'x' } } },
      undefined,
      ['kind', 'metadata.namespace', 'metadata.name', 'metadata.annotations.'],
    ],
  ])('names the field of %s', (_title, body, name, expected) => {
    expect(paths(body, name)).toEqual(expected);
  });

  it('ignores server-owned metadata and takes null for absent', () => {
    const body = {
      apiVersion: null,
      metadata: { name: 'a', namespace: null, labels: null, uid: 'mine', generation: 7, createdAt: 'x', updatedAt: 5 },
      status: { phase: 'Ready' },
    };
    expect(read(body)).toMatchObject({ errors: [], unknown: [], envelope: { name: 'a', namespace: 'default', labels: {} } });
  });

  it('lists fields that no resource has', () => {
    expect(read({ specs: {}, metadata: { name: 'a', lables: {} } }).unknown).toEqual([
      { path: 'specs', hint: '; did you mean "spec"?' },
      { path: 'metadata.lables', hint: '; did you mean "labels"?' },
    ]);
  });

  it.each([
    ['5', '5'],
    [5, '5'],
    ['', undefined],
    [null, undefined],
    [undefined, undefined],
  ])('reads resourceVersion %j', (resourceVersion, expected) => {
    expect(read({ metadata: { name: 'a', resourceVersion } }).envelope.bodyVersion).toBe(expected);
  });
});

describe('labels and annotations', () => {
  it.each([
    ['a plain label', 'labels', { app: 'x' }, true],
    ['a prefixed key', 'labels', { 'svc.dev/version': '1.0' }, true],
    ['an empty value', 'labels', { app: '' }, true],
    ['a long label value', 'labels', { app: 'x'.repeat(256) }, false],
    ['a long annotation value', 'annotations', { app: 'x'.repeat(10_000) }, true],
    ['annotations beyond the limit', 'annotations', { app: 'x'.repeat(262_144) }, false],
    ['a key with a space', 'labels', { 'a b': 'x' }, false],
    ['a prototype key', 'labels', JSON.parse('{"__proto__":"x"}'), false],
    ['a line break in a label', 'labels', { app: 'a\nb' }, false],
    ['an object whose toString is no function in a label', 'labels', { app: { toString: 'x' } }, false],
    ['an object whose toString is no function in an annotation', 'annotations', { app: { toString: 'x' } }, false],
    ['too many entries', 'labels', Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`k${i}`, ''])), false],
  ] as const)('%s in %s', (_title, field, map, valid) => {
    expect(readStringMap(map, field).errors.length === 0).toBe(valid);
  });
});

describe('uuid v7', () => {
  it('carries the time, version and variant', () => {
    expect(formatUuidV7(0x0123456789ab, new Uint8Array(10).fill(0xff))).toBe('01234567-89ab-7fff-bfff-ffffffffffff');
    expect(formatUuidV7(0x0123456789ab, new Uint8Array(10))).toBe('01234567-89ab-7000-8000-000000000000');
  });

  it('gives every id random bits of its own', () => {
    const newUid = createUuidV7({ ...systemClock, now: () => 0x0123456789ab });
    const ids = Array.from({ length: 2_000 }, newUid);
    expect(new Set(ids.map((id) => id.slice(14))).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^01234567-89ab-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
