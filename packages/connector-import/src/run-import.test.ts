import { parseConnector } from '@fairlead/connector-model/parse-connector';
import { describe, expect, it } from 'vitest';
import { CONTACTS, contactsWith, imported, issuesOf } from './testing/documents.ts';
import { runImport } from './run-import.ts';

const operations = (count: number): Record<string, unknown> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [`/p${String(at)}`, { get: { responses: { 204: {} } } }]),
  );

describe('a hostile document', () => {
  it('with 100 000 operations is told to name them, and one of them can be imported', () => {
    expect(issuesOf(contactsWith({ paths: operations(100_000) }))).toEqual([
      'document: holds more than 50000 different names',
    ]);
    const document = contactsWith({ paths: operations(40_000) });
    expect(issuesOf(document)).toEqual([
      expect.stringContaining('operations: the document has 40000 operations'),
    ]);
    const { connector } = imported(document, { operations: [{ method: 'GET', path: '/p39999' }] });
    expect(connector?.tools).toHaveLength(1);
  });

  it('of schemas that contain themselves becomes open where it would go on', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [
        `S${String(at)}`,
        {
          type: 'object',
          properties: Object.fromEntries(
            Array.from({ length: 40 }, (_x, to) => [
              `m${String(to)}`,
              { $ref: `#/components/schemas/S${String(to)}` },
            ]),
          ),
        },
      ]),
    );
    const body = { content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } };
    const { answer } = imported(
      contactsWith({
        components: { schemas },
        security: undefined,
        paths: { '/a': { post: { operationId: 'a', requestBody: body, responses: { 200: body } } } },
      }),
    );
    expect(answer.kind).toBe('imported');
  });

  it('whose references lead in a circle is read', () => {
    const { answer } = imported(
      contactsWith({
        components: {
          ...Object(CONTACTS['components']),
          schemas: { Contact: { allOf: [{ $ref: '#/components/schemas/Contact' }] } },
        },
      }),
    );
    expect(answer.kind).toBe('imported');
  });

  it('with members named __proto__ changes nothing but its own tools', () => {
    const text = JSON.stringify(CONTACTS).replaceAll('"name":', '"__proto__":');
    imported(text);
    imported(text.replaceAll('"Contact"', '"__proto__"').replaceAll('/contacts', '/__proto__'));
    expect(Reflect.get({}, 'type')).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });

  it.each([
    [
      'nested 5 000 levels deep',
      `{"openapi":"3.0.0","paths":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_001)}`,
      'deeper than 100',
    ],
    ['of 600 000 values', `{"a":[${'1,'.repeat(600_000)}1]}`, 'more than 500000 JSON values'],
    ['of 6 MiB', `{"a":"${'x'.repeat(6 * 1024 * 1024)}"}`, 'larger than 5 MiB'],
    ['that is no object', '[1]', 'is no object'],
    ['of another kind', '{"asyncapi":"2.0.0"}', 'is neither an OpenAPI 3 nor a Swagger 2.0 document'],
    ['that is neither JSON nor YAML', '{"a": [', 'neither JSON nor YAML'],
    ['of YAML nested deep', `a: ${'['.repeat(20_000)}`, ''],
    ['of YAML that multiplies itself', yamlBomb(), ''],
  ])('%s is refused', (_name, text, issue) => {
    expect(issuesOf(text)).toEqual([expect.stringContaining(issue)]);
  });

  it('that is no UTF-8 is refused', () => {
    const job = { kind: 'openapi', slug: 'a', field: 'fileId' } as const;
    expect(runImport(job, Buffer.from([0x7b, 0xff])).answer).toEqual({
      kind: 'refused',
      issues: [{ field: 'fileId', issue: 'is not UTF-8' }],
    });
  });
});

function yamlBomb(): string {
  const levels = Array.from(
    { length: 12 },
    (_, at) =>
      `a${String(at)}: &a${String(at)} [${Array(10)
        .fill(at === 0 ? 'x' : `*a${String(at - 1)}`)
        .join(', ')}]`,
  );
  return levels.join('\n');
}

it('a document may be YAML', () => {
  const { connector } = imported(
    'openapi: 3.1.0\ninfo: {title: Notes}\nservers: [{url: https://notes.test}]\npaths:\n  /n:\n    get: {operationId: list, responses: {204: {}}}\n',
  );
  expect(connector).toMatchObject({ name: 'Notes', tools: [{ toolSlug: 'list' }] });
});

describe('a manifest', () => {
  const MANIFEST = {
    name: 'Notes',
    description: 'Notes of a team.',
    version: '1.0.0',
    baseUrl: 'https://notes.test',
    authenticationMethods: [
      { authenticationId: 0, authenticationName: 'None', isDefault: true, scheme: { type: 'none' } },
    ],
    tools: [
      {
        toolSlug: 'notes-list',
        toolName: 'List notes',
        description: 'Returns notes.',
        category: 'Notes',
        retryClass: 'readOnly',
        request: { url: '/notes' },
      },
    ],
  };
  const run = (manifest: unknown) =>
    runImport({ kind: 'manifest', slug: 'notes' }, Buffer.from(JSON.stringify(manifest)));

  it.each([
    ['an object', MANIFEST],
    [
      'YAML',
      `name: Notes\n${JSON.stringify(MANIFEST).replace(/^\{/, '{"slug":"notes",').replace('"name":"Notes",', '')}`.slice(
        12,
      ),
    ],
  ])('as %s becomes an application with the slug of the call', (_name, manifest) => {
    const text = typeof manifest === 'string' ? manifest.replace('{', '{"name":"Notes",') : manifest;
    const { application } = run(text);
    expect(parseConnector(application ?? new Uint8Array())).toMatchObject({
      slug: 'notes',
      maturity: 'generated',
      tools: [{ toolSlug: 'notes-list', execution: { request: { url: '/notes' } } }],
    });
  });

  it.each([
    [{ slug: 'other' }, 'manifest.slug: must be notes, the slug of the call'],
    [{ kind: 'OPA' }, 'manifest.kind: must be one of Regular, Key'],
    [{ tools: [] }, 'manifest.tools: must have at least one tool'],
    [{ settings: ['a'] }, 'manifest.settings: are reserved for the platform'],
    [
      { tools: [{ ...MANIFEST.tools[0], request: undefined, handler: 'list' }] },
      'manifest.tools[0].handler: handlers are reserved',
    ],
    [{ version: 'x' }, 'manifest.version: must be a semantic version'],
    [{ version: undefined }, 'manifest.version: is required'],
    [{ description: 7 }, 'manifest.description: must be a string'],
    [{ kindd: 'Key', tool: [] }, 'manifest.tool: is not known here'],
    [
      { tools: [{ ...MANIFEST.tools[0], retryClass: 'never' }] },
      'manifest.tools[0].retryClass: must be one of readOnly, idempotent, unsafe',
    ],
    [
      { tools: [{ ...MANIFEST.tools[0], response: { type: 'lists' } }] },
      'manifest.tools[0].response.type: must be one of object, list, raw, empty',
    ],
    [{ tools: [{ ...MANIFEST.tools[0], request: { url: '/{{input.nope}}' } }] }, 'manifest.tools[0]'],
  ])('with %j is refused', (members, issue) => {
    const { answer } = run({ ...MANIFEST, ...members });
    const issues = answer.kind === 'refused' ? answer.issues : [];
    expect(issues.map((each) => `${each.field}: ${each.issue}`)).toEqual(
      expect.arrayContaining([expect.stringContaining(issue)]),
    );
  });
});
