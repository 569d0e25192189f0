import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kinds } from '@svc/shared/kinds';
import { startHttpFixture, type HttpFixture } from '../../testing/http-fixture.ts';

let http: HttpFixture;
beforeAll(async () => {
  http = await startHttpFixture();
});
afterAll(() => http.close());

const agent = (name: string, extra: Record<string, unknown> = {}) => ({
  kind: 'Agent',
  metadata: { name, ...extra },
  spec: { model_ref: 'm', prompt: 'p' },
});

describe('one object', () => {
  test('is created, read, replaced, patched and deleted', async () => {
    const created = await http.send('POST', '/v1/agents', { body: agent('life') });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({
      apiVersion: 'svc.dev/v1',
      kind: 'Agent',
      metadata: { namespace: 'default', resourceVersion: '1' },
      status: { phase: 'Pending' },
    });
    expect((await http.send('GET', '/v1/agents/life')).body).toEqual(created.body);
    const replaced = await http.send('PUT', '/v1/agents/life', {
      body: { ...agent('life'), spec: { model_ref: 'm2' } },
      headers: { 'if-match': '"1"' },
    });
    expect(replaced.body).toMatchObject({ metadata: { resourceVersion: '2', generation: 2 }, spec: { model_ref: 'm2' } });
    const patched = await http.send('PATCH', '/v1/agents/life', {
      body: '{"spec":{"prompt":"new"}}',
      headers: { 'content-type': 'application/merge-patch+json' },
    });
    expect(patched).toMatchObject({ status: 200, body: { metadata: { resourceVersion: '3' }, spec: { prompt: 'new', model_ref: 'm2' } } });
    const deleted = await http.send('DELETE', '/v1/agents/life');
    expect(deleted).toMatchObject({ status: 200, body: { metadata: { resourceVersion: '3' } } });
    expect((await http.send('GET', '/v1/agents/life')).body).toEqual({
      error: { code: 'not_found', message: expect.stringContaining('default/life') },
    });
  });

  test('takes the address of another provider with a patch', async () => {
    const spec = { provider: 'gateway-a', auth: { secretRef: 'k' } };
    await http.send('POST', '/v1/model-endpoints', { body: { kind: 'ModelEndpoint', metadata: { name: 'moved' }, spec } });
    expect((await http.send('PATCH', '/v1/model-endpoints/moved', { body: { spec: { provider: 'gateway-b' } } })).body['spec']).toEqual({
      ...{ ...spec, provider: 'gateway-b', base_url: 'https://api.anthropic.com', allowPrivate: false },
    });
  });

  test('has an ETag of its version, which If-Match takes as it is', async () => {
    const etags = [(await http.send('POST', '/v1/agents', { body: agent('tagged') })).headers.etag];
    etags.push((await http.send('GET', '/v1/agents/tagged')).headers.etag);
    const put = { body: { ...agent('tagged'), spec: { model_ref: 'm2' } }, headers: { 'if-match': String(etags[1]) } };
    etags.push((await http.send('PUT', '/v1/agents/tagged', put)).headers.etag);
    etags.push((await http.send('GET', '/v1/agents/tagged/status')).headers.etag);
    expect(etags).toEqual(['"1"', '"1"', '"2"', '"2"']);
  });

  test('has no ETag in the answer to a dry run', async () => {
    await http.send('POST', '/v1/agents', { body: agent('tried') });
    const dry = { body: { ...agent('tried'), spec: { model_ref: 'm2' } }, headers: { 'if-match': '1' } };
    const answers = [
      await http.send('POST', '/v1/agents?dryRun=true', dry),
      await http.send('PUT', '/v1/agents/tried?dryRun=true', dry),
      await http.send('PATCH', '/v1/agents/tried?dryRun=true', dry),
      await http.send('PUT', '/v1/agents/tried/status?dryRun=true', { ...dry, body: { status: { phase: 'Ready' } } }),
    ];
    expect(answers.map(({ status, headers }) => [status, headers.etag])).toEqual(Array(4).fill([200, undefined]));
  });

  test('is stored with a text as long as the largest body, one byte more is 413', async () => {
    const withPrompt = (prompt: string) => JSON.stringify({ metadata: { name: 'long' }, spec: { model_ref: 'm', prompt } });
    const longest = withPrompt('x'.repeat(4 * 1024 * 1024 - withPrompt('').length));
    const headers = { 'content-type': 'application/json' };
    expect((await http.send('POST', '/v1/agents', { body: longest, headers })).status).toBe(201);
    expect((await http.send('POST', '/v1/agents', { body: `${longest} `, headers })).status).toBe(413);
    expect((await http.send('DELETE', '/v1/agents/long')).status).toBe(200);
  });

  test('is applied again by POST without a write', async () => {
    await http.send('POST', '/v1/agents', { body: agent('again') });
    expect(await http.send('POST', '/v1/agents', { body: agent('again') })).toMatchObject({
      status: 200,
      body: { metadata: { resourceVersion: '1' } },
    });
    expect((await http.send('POST', '/v1/agents', { body: agent('again'), headers: { 'if-none-match': '*' } })).status).toBe(409);
  });

  test('asks PUT for the current version', async () => {
    await http.send('POST', '/v1/agents', { body: agent('versioned') });
    expect((await http.send('PUT', '/v1/agents/versioned', { body: agent('versioned') })).status).toBe(409);
    expect((await http.send('PUT', '/v1/agents/versioned', { body: agent('versioned', { resourceVersion: '7' }) })).status).toBe(409);
    expect((await http.send('PUT', '/v1/agents/versioned', { body: agent('other', { resourceVersion: '1' }) })).status).toBe(400);
    expect((await http.send('PUT', '/v1/agents/versioned', { body: agent('versioned'), headers: { 'if-match': 'W/"1"' } })).status).toBe(
      200,
    );
  });

  test('is deleted conditionally', async () => {
    await http.send('POST', '/v1/agents', { body: agent('conditional') });
    expect((await http.send('DELETE', '/v1/agents/conditional?resourceVersion=2')).status).toBe(409);
    expect((await http.send('DELETE', '/v1/agents/conditional?resourceVersion=x')).status).toBe(400);
    expect((await http.send('DELETE', '/v1/agents/conditional', { headers: { 'if-match': '"2"' } })).status).toBe(409);
    expect((await http.send('DELETE', '/v1/agents/conditional', { headers: { 'if-match': '""' } })).status).toBe(400);
    for (const versions of ['"1", "3"', 'W/"1"', '*', '1'])
      expect((await http.send('DELETE', '/v1/agents/conditional?dryRun=true', { headers: { 'if-match': versions } })).status).toBe(200);
    expect((await http.send('DELETE', '/v1/agents/conditional?resourceVersion=1&dryRun=true')).status).toBe(200);
    expect((await http.send('DELETE', '/v1/agents/conditional?resourceVersion=1')).status).toBe(200);
  });

  test('is written and deleted only where it is the one that was meant', async () => {
    const uid = (await http.send('POST', '/v1/agents', { body: agent('meant') })).body.metadata.uid;
    await http.send('DELETE', `/v1/agents/meant?uid=${uid}`);
    await http.send('POST', '/v1/agents', { body: agent('meant') });
    for (const [method, body] of [
      ['DELETE', undefined],
      ['PATCH', { spec: { prompt: 'new' } }],
      ['PUT', agent('meant', { resourceVersion: '1' })],
    ] as const) {
      const { status, body: answer } = await http.send(method, `/v1/agents/meant?uid=${uid}`, body && { body });
      expect([method, status, answer.error.details[0].path]).toEqual([method, 409, 'metadata.uid']);
    }
    expect((await http.send('DELETE', '/v1/agents/meant?uid=')).status).toBe(400);
    expect((await http.send('GET', '/v1/agents/meant')).body).toMatchObject({ metadata: { resourceVersion: '1' } });
  });

  test('leaves no trace of a dry run', async () => {
    expect(await http.send('POST', '/v1/agents?dryRun=true', { body: agent('dry') })).toMatchObject({
      status: 200,
      body: { metadata: { name: 'dry' } },
    });
    expect((await http.send('GET', '/v1/agents/dry')).status).toBe(404);
  });

  test('takes its namespace from the query, and refuses another in the body', async () => {
    const created = await http.send('POST', '/v1/agents?namespace=team', { body: agent('spaced') });
    expect(created.body.metadata.namespace).toBe('team');
    expect((await http.send('GET', '/v1/agents/spaced')).status).toBe(404);
    const mismatch = await http.send('POST', '/v1/agents?namespace=team', { body: agent('spaced', { namespace: 'other' }) });
    expect(mismatch).toMatchObject({ status: 400, body: { error: { code: 'invalid' } } });
    expect((await http.send('GET', '/v1/agents/spaced?namespace=*')).body.error.message).toContain('namespace');
    expect((await http.send('GET', '/v1/agents/spaced?namespace=Bad')).status).toBe(400);
  });

  test('reports what was dropped in Warning headers, or refuses it when strict', async () => {
    const body = { ...agent('warned'), spec: { model_ref: 'm', colour: 'red', 'größe"': 1 } };
    const warned = await http.send('POST', '/v1/agents', { body });
    expect(warned.status).toBe(201);
    expect([warned.headers['warning']].flat().join(' ')).toMatch(/^299 - ".*colour/);
    expect(await http.send('POST', '/v1/agents?fieldValidation=Strict', { body })).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('colour') } },
    });
    expect((await http.send('POST', '/v1/agents?fieldValidation=Ignore', { body })).headers['warning']).toBeUndefined();
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, i]));
    const flooded = await http.send('POST', '/v1/agents', { body: { ...agent('flooded'), spec: { model_ref: 'm', ...many } } });
    const warnings = [flooded.headers['warning']].flat();
    expect(warnings.at(-1)).toBe(`299 - "and ${501 - warnings.length} more"`);
  });

  test('names repeated keys of JSON in Warning headers, or refuses them when strict', async () => {
    const headers = { 'content-type': 'application/json' };
    const body = '{"kind":"Agent","metadata":{"name":"twice"},"spec":{"model_ref":"m","prompt":"a","prompt":"b"}}';
    const strict = await http.send('POST', '/v1/agents?fieldValidation=Strict', { body, headers });
    expect([strict.status, strict.body.error.details]).toEqual([400, [{ path: 'spec.prompt', message: 'is given more than once' }]]);
    const warned = await http.send('POST', '/v1/agents', { body, headers });
    expect([warned.status, warned.body.spec.prompt]).toEqual([201, 'b']);
    expect(warned.headers['warning']).toBe('299 - "field \\"spec.prompt\\" is given more than once; the last value counts"');
    expect((await http.send('POST', '/v1/agents?fieldValidation=Ignore', { body, headers })).headers['warning']).toBeUndefined();
    const applied = await http.send('POST', '/v1/apply?fieldValidation=Strict', { body: `[${body}]`, headers });
    expect([applied.status, applied.body.error.details[0].path]).toEqual([400, '[0].spec.prompt']);
  });

  test('shows and takes its status apart', async () => {
    const { body: created } = await http.send('POST', '/v1/agents', { body: agent('status') });
    expect((await http.send('GET', '/v1/agents/status/status')).body).toEqual({ metadata: created.metadata, status: created.status });
    expect((await http.send('PUT', '/v1/agents/status/status', { body: { status: { phase: 'Ready' } } })).status).toBe(409);
    const put = await http.send('PUT', '/v1/agents/status/status', {
      body: { metadata: { resourceVersion: '1' }, status: { phase: 'Pending', lastError: 'x' } },
    });
    expect(put).toMatchObject({ status: 200, body: { metadata: { resourceVersion: '2' }, status: { lastError: 'x' } } });
    expect(Object.keys(put.body).sort()).toEqual(['metadata', 'status']);
  });

  test('is written as YAML too', async () => {
    const yaml = 'kind: Agent\nmetadata:\n  name: from-yaml\nspec:\n  model_ref: m\n';
    for (const type of ['application/yaml', 'application/x-yaml', 'text/yaml; charset=UTF-8']) {
      expect((await http.send('POST', '/v1/agents', { body: yaml, headers: { 'content-type': type } })).status).toBeLessThan(202);
    }
    expect((await http.send('POST', '/v1/agents', { body: yaml })).status).toBe(200);
    const several = await http.send('POST', '/v1/agents', { body: `${yaml}---\n${yaml}`, headers: { 'content-type': 'application/yaml' } });
    expect(several).toMatchObject({ status: 400, body: { error: { message: expect.stringContaining('/v1/apply') } } });
  });

  test('warns about objects that a CRD manages', async () => {
    await http.send('POST', '/v1/agents', { body: agent('crd', { annotations: { 'svc.dev/managed-by': 'crd' } }) });
    const patched = await http.send('PATCH', '/v1/agents/crd', { body: { spec: { prompt: 'x' } } });
    expect(patched.headers['x-svc-crd-managed']).toBeDefined();
  });
});

describe('lists', () => {
  beforeAll(async () => {
    for (const namespace of ['list-a', 'list-b']) {
      for (const name of ['r1', 'r2', 'r3']) {
        const body = { kind: 'AgentRole', metadata: { name, labels: { n: name } }, spec: { description: name } };
        await http.send('POST', `/v1/agent-roles?namespace=${namespace}`, { body });
      }
    }
  });
  const names = (items: any[]) => items.map((item) => `${item.metadata.namespace}/${item.metadata.name}`);

  test('are arrays without page parameters', async () => {
    expect(names((await http.send('GET', '/v1/agent-roles?namespace=list-a')).body)).toEqual(['list-a/r1', 'list-a/r2', 'list-a/r3']);
    expect((await http.send('GET', '/v1/agent-roles?namespace=nothing-here')).body).toEqual([]);
    expect(names((await http.send('GET', '/v1/agent-roles?namespace=*')).body)).toHaveLength(6);
  });

  test('are pages when limit or after is given', async () => {
    const first = await http.send('GET', '/v1/agent-roles?namespace=*&limit=4');
    expect(names(first.body.items)).toEqual(['list-a/r1', 'list-a/r2', 'list-a/r3', 'list-b/r1']);
    expect(first.body.continue).toBe('list-b/r1');
    const second = await http.send('GET', `/v1/agent-roles?namespace=*&limit=4&after=${encodeURIComponent(first.body.continue)}`);
    expect(names(second.body.items)).toEqual(['list-b/r2', 'list-b/r3']);
    expect(second.body.continue).toBeUndefined();
    expect(names((await http.send('GET', '/v1/agent-roles?namespace=list-a&after=r1')).body.items)).toEqual(['list-a/r2', 'list-a/r3']);
  });

  test('select by labels', async () => {
    expect(names((await http.send('GET', '/v1/agent-roles?namespace=list-a&labelSelector=n+in+(r1,r3)')).body)).toEqual([
      'list-a/r1',
      'list-a/r3',
    ]);
    expect(names((await http.send('GET', '/v1/agent-roles?namespace=list-a&labelSelector=n!=r1&limit=1')).body.items)).toEqual([
      'list-a/r2',
    ]);
  });

  test('are never cut, however long', async () => {
    const documents = Array.from({ length: 1_201 }, (_, i) => ({
      kind: 'AgentRole',
      metadata: { name: `x${String(i).padStart(5, '0')}` },
      spec: {},
    }));
    for (const part of [documents.slice(0, 900), documents.slice(900)]) {
      expect((await http.send('POST', '/v1/apply?namespace=long', { body: part })).status).toBe(200);
    }
    const { body } = await http.send('GET', '/v1/agent-roles?namespace=long');
    expect(body.map((item: any) => item.metadata.name)).toEqual(documents.map((document) => document.metadata.name));
    expect((await http.send('HEAD', '/v1/agent-roles?namespace=long')).status).toBe(200);
  });

  test('task lists still take an offset, with a deprecation warning', async () => {
    for (const name of ['t1', 't2', 't3'])
      await http.send('POST', '/v1/tasks?namespace=offset', { body: { kind: 'Task', metadata: { name }, spec: { system: 's' } } });
    const answer = await http.send('GET', '/v1/tasks?namespace=offset&offset=1&limit=1');
    expect(names(answer.body.items)).toEqual(['offset/t2']);
    expect(answer.headers['warning']).toContain('deprecated');
    expect(names((await http.send('GET', '/v1/tasks?namespace=offset&offset=1')).body)).toEqual(['offset/t2', 'offset/t3']);
    expect((await http.send('GET', '/v1/tasks?namespace=offset&offset=9')).body).toEqual([]);
    expect((await http.send('GET', '/v1/agents?offset=1')).status).toBe(400);
  });

  test.each(['after', 'labelSelector', 'fieldSelector', 'sort'])('an empty %s is as if it were absent', async (name) => {
    const { status, body } = await http.send('GET', `/v1/tasks?namespace=offset&${name}=`);
    expect([status, names(body)]).toEqual([200, ['offset/t1', 'offset/t2', 'offset/t3']]);
    expect((await http.send('GET', `/v1/tasks?namespace=offset&${name}=&${name}=`)).status).toBe(400);
  });

  test('task lists select by fields and sort by age', async () => {
    expect(
      names((await http.send('GET', '/v1/tasks?namespace=offset&fieldSelector=status.phase=Pending,spec.system==s')).body),
    ).toHaveLength(3);
    expect(names((await http.send('GET', '/v1/tasks?namespace=offset&fieldSelector=spec.system!=s')).body)).toEqual([]);
    const newest = await http.send('GET', '/v1/tasks?namespace=offset&sort=-createdAt&limit=2');
    expect(names(newest.body.items)).toEqual(['offset/t3', 'offset/t2']);
    const next = await http.send('GET', `/v1/tasks?namespace=offset&sort=-createdAt&after=${encodeURIComponent(newest.body.continue)}`);
    expect(names(next.body.items)).toEqual(['offset/t1']);
  });

  describe('sorted by value', () => {
    const ended: readonly [string, number, number | undefined][] = [
      ['cheap', 1, 0.5],
      ['dear', 3, 2.25],
      ['unknown', 2, undefined],
    ];
    beforeAll(async () => {
      for (const name of ['open', ...ended.map(([each]) => each)])
        await http.send('POST', '/v1/tasks?namespace=sorted', {
          body: { metadata: { name }, spec: { system: name === 'open' ? 'b' : 'a' } },
        });
      for (const [name, seconds, costUsd] of ended) {
        const { metadata } = (await http.send('GET', `/v1/tasks/${name}?namespace=sorted`)).body;
        const startedAt = '2026-01-01T00:00:00.000Z';
        const completedAt = `2026-01-01T00:00:0${seconds}.000Z`;
        const status = {
          phase: 'Succeeded',
          startedAt,
          completedAt,
          output: { tokens_used_total: `${9 - seconds}` },
          ...(costUsd !== undefined && { costUsd }),
        };
        await http.send('PUT', `/v1/tasks/${name}/status?namespace=sorted`, { body: { metadata, status } });
      }
    });

    const sorted = async (sort: string, query = '') => {
      const names: string[] = [];
      let after = '';
      do {
        const page = await http.send('GET', `/v1/tasks?namespace=sorted&sort=${sort}&limit=1${after}${query}`);
        expect(page.status).toBe(200);
        names.push(...page.body.items.map((each: any) => each.metadata.name));
        after = page.body.continue === undefined ? '' : `&after=${encodeURIComponent(page.body.continue)}`;
      } while (after !== '');
      return names;
    };

    test.each([
      ['-cost', ['dear', 'cheap', 'unknown', 'open']],
      ['cost', ['open', 'unknown', 'cheap', 'dear']],
      ['-duration', ['dear', 'unknown', 'cheap', 'open']],
      ['-tokens', ['cheap', 'unknown', 'dear', 'open']],
      ['completedAt', ['open', 'cheap', 'unknown', 'dear']],
      ['-system', ['open', 'unknown', 'dear', 'cheap']],
      ['phase', ['open', 'unknown', 'dear', 'cheap']],
      ['-phase', ['unknown', 'dear', 'cheap', 'open']],
      ['name', ['cheap', 'dear', 'open', 'unknown']],
      ['-name', ['unknown', 'open', 'dear', 'cheap']],
    ])('by %s, page by page', async (sort, expected) => {
      expect(await sorted(sort)).toEqual(expected);
    });

    test('among the runs that a selector chooses', async () => {
      expect(await sorted('-cost', '&fieldSelector=spec.system=a')).toEqual(['dear', 'cheap', 'unknown']);
      expect(await sorted('-system', '&fieldSelector=spec.system=a')).toEqual(['unknown', 'dear', 'cheap']);
    });

    test('as one array of every match', async () => {
      const { body } = await http.send('GET', '/v1/tasks?namespace=sorted&sort=-cost');
      expect(names(body)).toEqual(['dear', 'cheap', 'unknown', 'open'].map((name) => `sorted/${name}`));
    });

    test('other kinds are sorted by their columns', async () => {
      const create = (name: string, spec: object) =>
        http.send('POST', '/v1/agents?namespace=sorted', { body: { metadata: { name }, spec: { prompt: 'Answer.', ...spec } } });
      await create('a', { model_ref: 'small', limits: { max_steps: 9 } });
      await create('b', { model_ref: 'Large', limits: { max_steps: 10 } });
      await create('c', { model_ref: 'small', limits: { max_steps: 1 } });
      const sorted = async (sort: string, more = '') => http.send('GET', `/v1/agents?namespace=sorted&sort=${sort}${more}`);
      expect(names((await sorted('spec.model_ref')).body)).toEqual(['sorted/b', 'sorted/a', 'sorted/c']);
      expect(names((await sorted('-spec.limits.max_steps')).body).slice(0, 2)).toEqual(['sorted/b', 'sorted/a']);
      const first = (await sorted('-spec.model_ref', '&limit=2')).body;
      expect(names(first.items)).toEqual(['sorted/c', 'sorted/a']);
      const rest = await sorted('-spec.model_ref', `&limit=2&after=${encodeURIComponent(first.continue)}`);
      expect(names(rest.body.items)).toEqual(['sorted/b']);
      await http.send('PATCH', '/v1/agents/b?namespace=sorted', { body: { spec: { model_ref: 'tiny' } } });
      expect(names((await sorted('spec.model_ref')).body)).toEqual(['sorted/a', 'sorted/c', 'sorted/b']);
      expect((await http.send('GET', '/v1/agents?sort=cost')).body.error.message).toContain('one of name, createdAt, spec.model_ref');
    });
  });

  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['after=a/b/c', 'cursor'],
    ['after=-x', 'cursor'],
    ['namespace=*&after=bare', 'cursor'],
    ['namespace=', 'namespace'],
    ['namespace=UPPER', 'namespace'],
    ['labelSelector=a=b=c', 'labelSelector'],
    ['labelSelector=(', 'labelSelector'],
    ['fieldSelector=spec', 'fieldSelector'],
    ['fieldSelector=metadata.uid=x', 'fieldSelector'],
    ['sort=colour', 'sort must be one of name, createdAt, system, phase, completedAt, duration, tokens, cost'],
    ['sort=-cost&after=a/b', 'repeat the sort'],
    ['after=a/b@-cost@1@2026-01-01T00:00:00.000Z', 'sort=-cost'],
    ['sort=cost&after=a/b@-cost@1@2026-01-01T00:00:00.000Z', 'sort=-cost'],
    ['sort=-cost&after=a/b@-cost@%25@2026-01-01T00:00:00.000Z', 'cursor'],
    ['sort=-cost&after=a/b@-cost@1@yesterday', 'cursor'],
    ['view=half', 'view'],
    ['offset=-1', 'offset'],
  ])('refuse ?%s by name', async (query, named) => {
    const answer = await http.send('GET', `/v1/tasks?${query}`);
    expect({ status: answer.status, code: answer.body.error.code }).toEqual({ status: 400, code: 'invalid' });
    expect(answer.body.error.message).toContain(named);
  });

  test('lists ignore unknown parameters', async () => {
    expect((await http.send('GET', '/v1/agents?colour=red')).status).toBe(200);
  });
});

describe.each(kinds)('$kind', ({ plural, kind }) => {
  test('has the generic endpoints', async () => {
    expect((await http.send('GET', `/v1/${plural}`)).status).toBe(200);
    expect((await http.send('GET', `/v1/${plural}/absent`)).body.error.code).toBe('not_found');
    expect((await http.send('GET', `/v1/${plural}/absent/status`)).status).toBe(404);
    expect((await http.send('DELETE', `/v1/${plural}/absent`)).status).toBe(404);
    expect((await http.send('POST', `/v1/${plural}`, { body: { kind: 'Other', metadata: { name: 'a' }, spec: {} } })).status).toBe(400);
    expect((await http.send('POST', `/v1/${plural}`, { body: { kind, metadata: { name: 'watch' }, spec: {} } })).status).toBe(400);
  });

  test.each(['', '/a', '/a/status', '/watch'])('answers 405 with Allow at its path%s', async (suffix) => {
    const answer = await http.send('TRACE', `/v1/${plural}${suffix}`);
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toContain('GET, HEAD');
    expect(answer.body.error.code).toBe('method_not_allowed');
  });
});

describe('apply', () => {
  const yaml =
    'kind: AgentSystem\nmetadata: {name: apply-sys}\nspec: {agents: [apply-a]}\n---\nkind: Agent\nmetadata: {name: apply-a, namespace: elsewhere}\nspec: {model_ref: m}\n';
  const send = (body: unknown, query = '', type?: string) =>
    http.send('POST', `/v1/apply${query}`, { body, ...(type && { headers: { 'content-type': type } }) });

  test('takes YAML documents, arrays, Lists and single resources', async () => {
    const results = (await send(yaml, '', 'application/yaml')).body.results;
    expect(results.map((each: any) => `${each.kind} ${each.namespace} ${each.action}`).sort()).toEqual([
      'Agent elsewhere created',
      'AgentSystem default created',
    ]);
    expect((await send(yaml)).body.results.map((each: any) => each.action)).toEqual(['unchanged', 'unchanged']);
    expect((await send([agent('arr1'), agent('arr2')])).body.results).toHaveLength(2);
    expect((await send({ kind: 'List', items: [agent('arr1')] })).body.results[0].action).toBe('unchanged');
    expect((await send(agent('single'), '?dryRun=true')).body.results[0].action).toBe('created');
    expect((await http.send('GET', '/v1/agents/single')).status).toBe(404);
  });

  test('writes nothing when a document is bad, and names it', async () => {
    const answer = await send([agent('good'), { kind: 'Agent', metadata: { name: 'bad' }, spec: { prompt: 3 } }]);
    expect(answer.status).toBe(400);
    expect(answer.body.error.details[0].path).toMatch(/^documents\[1\]\.spec/);
    expect((await http.send('GET', '/v1/agents/good')).status).toBe(404);
  });

  test('prunes only with a selector', async () => {
    for (const query of ['?prune=true', '?prune=true&labelSelector='])
      expect((await send([agent('p')], query)).body.error.message).toContain('labelSelector');
    const labelled = (name: string) => ({ ...agent(name), metadata: { name, labels: { set: 'p' } } });
    await send([labelled('p1'), labelled('p2')]);
    const results = (await send([labelled('p1')], '?prune=true&labelSelector=set=p')).body.results;
    expect(results.map((each: any) => `${each.name} ${each.action}`)).toEqual(['p1 unchanged', 'p2 pruned']);
  });

  test.each([[''], ['# nothing\n'], ['[]']])('refuses a body without documents: %j', async (body) => {
    expect((await send(body)).status).toBe(400);
  });

  test.each([['3'], ['"text"'], ['[1]'], ['null'], ['[[]]']])('refuses documents that are not resources: %s', async (body) => {
    expect((await send(body)).status).toBe(400);
  });
});

describe('versions of an object', () => {
  test('are listed and read, and the spec of one is written again with PUT', async () => {
    await http.send('POST', '/v1/agents', { body: agent('history') });
    await http.send('PUT', '/v1/agents/history', {
      body: { ...agent('history'), spec: { model_ref: 'm2' } },
      headers: { 'if-match': '1' },
    });
    const listed = await http.send('GET', '/v1/agents/history/versions');
    const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect(listed).toMatchObject({
      status: 200,
      body: {
        items: [
          { generation: 2, createdAt: time },
          { generation: 1, createdAt: time, replacedAt: time },
        ],
      },
    });
    const first = await http.send('GET', '/v1/agents/history/versions/1');
    expect(first).toMatchObject({ status: 200, body: { generation: 1, spec: { model_ref: 'm', prompt: 'p' } } });
    const { spec } = first.body as { spec: object };
    const restored = await http.send('PUT', '/v1/agents/history', { body: { ...agent('history'), spec }, headers: { 'if-match': '2' } });
    expect(restored).toMatchObject({ status: 200, body: { metadata: { generation: 3 }, spec: { model_ref: 'm', prompt: 'p' } } });
  });

  test('come in pages, and refuse what is not there', async () => {
    await http.send('POST', '/v1/agents', { body: agent('paged') });
    await http.send('POST', '/v1/agents', { body: { ...agent('paged'), spec: { model_ref: 'm2' } } });
    expect((await http.send('GET', '/v1/agents/paged/versions?limit=1')).body).toMatchObject({ items: [{ generation: 2 }], continue: '2' });
    expect((await http.send('GET', '/v1/agents/paged/versions?limit=1&after=2')).body).toMatchObject({ items: [{ generation: 1 }] });
    const status = async (path: string) => (await http.send('GET', `/v1/${path}`)).status;
    expect(await status('agents/paged/versions?limit=0')).toBe(400);
    expect(await status('agents/paged/versions?after=x')).toBe(400);
    expect(await status('agents/paged/versions/x')).toBe(400);
    expect(await status('agents/paged/versions/9')).toBe(404);
    expect(await status('agents/nobody/versions')).toBe(404);
    expect(await status('secrets/any/versions')).toBe(404);
  });
});
