import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { refusal } from '@fairlead/sdk/testing/api-server';
import type { ReceivedRequest, Reply } from '@fairlead/sdk/testing/api-server';
import { describe, expect, it } from 'vitest';
import { accountApi } from '../testing/account-api.ts';
import type { InvokeOptions } from '../testing/invoke.ts';

const { call, received } = accountApi();

const TOOLSET = '6ff1b1a5-0c2e-4a52-9b53-3d2f6a3a1c11';
const inputSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Full name.' },
    age: { type: 'integer' },
    isVip: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
    address: { type: 'object', properties: { city: { type: 'string' } } },
    photo: { type: 'object', format: 'file' },
    pin: { type: 'string', writeOnly: true },
    level: { enum: ['low', 'high'] },
  },
  required: ['name', 'level'],
};
const RESULT = { isSuccess: true, output: { id: 'con_1' }, historyId: 890571498260154, executionInfo: {} };

interface Answers {
  readonly tool?: object;
  readonly result?: object | string;
  readonly toolset?: Reply;
}

function api({ tool = { inputSchema }, result = RESULT, toolset }: Answers = {}): (
  request: ReceivedRequest,
) => Reply {
  return ({ method, path }) => {
    if (method === 'GET' && path.startsWith('/v1/tools/add')) return { status: 200, body: tool };
    if (path.startsWith('/v1/files')) return { status: 201, body: { fileId: 'file_1' } };
    if (path.startsWith('/v1/toolsets/')) return toolset ?? refusal(404, 'NOT_FOUND');
    if (typeof result === 'object') return { status: 200, body: result };
    return (response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(result);
  };
}

const run = (argv: readonly string[], answers: Answers = {}, options: InvokeOptions = {}) =>
  call(['tools', 'run', 'add', ...argv], api(answers), options);

/** The execution that was sent, as text. */
const executed = (): ReceivedRequest[] => received().filter(({ path }) => path.includes('/execute'));

describe('inputs', () => {
  it('get the types of the schema, and keep all digits', async () => {
    const { code, out, err } = await run([
      'name=12',
      'age=12345678901234567890',
      'isVip=true',
      'tags=["a","b"]',
      'address.city=Paris=Texas',
      'level=high',
    ]);
    expect(code, err).toBe(0);
    expect(executed()[0]?.body).toBe(
      '{"fields":{"name":"12","age":12345678901234567890,"isVip":true,"tags":["a","b"],"address":{"city":"Paris=Texas"},"level":"high"}}',
    );
    expect(JSON.parse(out)).toEqual(RESULT.output);
    expect(err).toContain('fairlead executions show 890571498260154');
  });

  it('are read from a file or standard input, and arguments replace them', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'in.json'), '{"name":"Ada","age":9007199254740993,"level":"low"}');
    await run(['--fields', 'in.json', 'level=high'], {}, { cwd: folder });
    expect(executed()[0]?.body).toBe('{"fields":{"name":"Ada","age":9007199254740993,"level":"high"}}');
    await run(['--fields', '-'], {}, { input: { piped: '{"name":"Ada","level":"low","pin":"1"}' } });
    expect(executed()[0]?.body).toBe('{"fields":{"name":"Ada","level":"low","pin":"1"}}');
  });

  it.each([
    [['nmae=Ada'], 'add has no input nmae. Its inputs: name, age,'],
    [['name=Ada', 'level=low', 'age=old'], 'age must be an integer, not "old".'],
    [['name=Ada', 'name=Bob'], 'name is given twice'],
    [['pin=1234'], 'pin is secret, so it is never an argument'],
    [['name=Ada'], 'add needs level (low | high). Add level=<value>, or use --fields.'],
    [[], 'add needs name (text), level (low | high). Add name=<value>'],
    [['name=Ada', 'level=low', 'photo=@'], 'photo: name the file after @'],
    [['name=Ada', 'level=low', 'photo=@missing.png'], '/missing.png cannot be read.'],
    [['name'], 'Expected a name, = and a value.'],
    [['--filter', 'name'], 'Expected a field, one of eq,'],
    [['--sort', 'name:up'], 'Expected a field, which :asc or :desc may follow.'],
  ])('%j: nothing is executed or stored, and the error names it', async (argv, text) => {
    const { code, err } = await run(argv);
    expect(code).toBe(2);
    expect(err).toContain(text);
    expect(received().every(({ method }) => method === 'GET')).toBe(true);
  });

  it('are asked for at a terminal', async () => {
    const typed = { input: { typed: 'Ada Lovelace\nlow\n' } };
    const { code, err } = await run(['age=3'], {}, typed);
    expect(code).toBe(0);
    expect(err).toContain('name (text): Full name.: level (low | high): ');
    expect(executed()[0]?.body).toBe('{"fields":{"age":3,"name":"Ada Lovelace","level":"low"}}');
  });

  it('that are secret are typed unseen', async () => {
    const tool = { inputSchema: { ...inputSchema, required: ['pin'] } };
    expect((await run([], { tool })).err).toContain('add needs pin (text). Use --fields.');
    const { code, err } = await run([], { tool }, { input: { typed: '1234\r' } });
    expect(code).toBe(0);
    expect(err).not.toContain('1234');
    expect(executed()[0]?.body).toBe('{"fields":{"pin":"1234"}}');
  });

  it('that the policy of a toolset sets are not asked for', async () => {
    const policy = { fixedFields: { add: { level: 'low' } } };
    const argv = ['name=Ada', '--toolset', TOOLSET];
    const { code } = await run(argv, { toolset: { status: 200, body: { policy } } });
    expect(code).toBe(0);
    expect(executed()[0]).toMatchObject({
      path: `/v1/tools/add/execute?toolsetId=${TOOLSET}`,
      body: '{"fields":{"name":"Ada"}}',
    });
    expect((await run(argv, { toolset: { status: 200, body: { policy: null } } })).code).toBe(2);
    // An agent's key may use a toolset without reading it.
    expect((await run(argv, { toolset: refusal(403, 'FORBIDDEN') })).err).toContain('add needs level');
  });
});

describe('files', () => {
  const argv = ['name=Ada', 'level=low'];

  it('are uploaded, and by their id or address passed on', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'ada.png'), 'a picture');
    expect((await run([...argv, 'photo=@ada.png'], {}, { cwd: folder })).code).toBe(0);
    const upload = received().find(({ path }) => path.startsWith('/v1/files'));
    expect(upload).toMatchObject({ path: '/v1/files?name=ada.png', body: 'a picture' });
    expect(JSON.parse(executed()[0]?.body ?? '')).toMatchObject({ fields: { photo: { fileId: 'file_1' } } });
    await run([...argv, 'photo=file_7']);
    expect(JSON.parse(executed()[0]?.body ?? '')).toMatchObject({ fields: { photo: { fileId: 'file_7' } } });
    await run([...argv, 'photo=https://example.com/a.png']);
    expect(executed()[0]?.body).toContain('"photo":{"url":"https://example.com/a.png"}');
  });

  it('are not stored by a dry run, which carries the content itself', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'ada.png'), 'a picture');
    const result = { ...RESULT, historyId: null };
    const { code } = await run([...argv, 'photo=@ada.png', '--dry-run'], { result }, { cwd: folder });
    expect(code).toBe(0);
    expect(received().map(({ path }) => path)).toEqual([
      '/v1/tools/add',
      '/v1/tools/add/execute?dryRun=true',
    ]);
    expect(JSON.parse(executed()[0]?.body ?? '')).toMatchObject({
      fields: { photo: { name: 'ada.png', base64: Buffer.from('a picture').toString('base64') } },
    });
  });
});

it('options name the connection, the end user, the approval, filters, sorts and the page', async () => {
  const options = ['--connection', '7', '--end-user', 'customer-1', '--application', 'crm'];
  const list = [
    '--filter',
    'name contains Ada L',
    '--filter',
    'age gt 5',
    '--sort',
    'name:desc',
    '--top',
    '5',
  ];
  await run([...options, ...list, '--offset', '10', '--approval', TOOLSET, 'name=a', 'level=low']);
  expect(received()[0]?.path).toBe('/v1/tools/add?applicationSlug=crm');
  const [request] = executed();
  expect([...new URL(request?.path ?? '', 'http://a').searchParams]).toEqual(
    expect.arrayContaining([
      ['connectionId', '7'],
      ['endUserId', 'customer-1'],
      ['applicationSlug', 'crm'],
      ['approvalId', TOOLSET],
    ]),
  );
  expect(JSON.parse(request?.body ?? '')).toEqual({
    filters: [
      { field: 'name', operator: 'contains', value: 'Ada L' },
      { field: 'age', operator: 'gt', value: 5 },
    ],
    sorts: [{ field: 'name', direction: 'desc' }],
    top: 5,
    offset: 10,
    fields: { name: 'a', level: 'low' },
  });
});

it('an output keeps all digits, as text and as JSON', async () => {
  const result =
    '{"isSuccess":true,"output":{"id":12345678901234567890,"price":1.50},"historyId":1,"executionInfo":{}}';
  const argv = ['name=a', 'level=low'];
  expect((await run(argv, { result })).out).toBe('{\n  "id": 12345678901234567890,\n  "price": 1.50\n}\n');
  expect((await run([...argv, '--json'], { result })).out).toContain('"id": 12345678901234567890,');
});

it('a failure at the vendor is exit code 1, with its reason', async () => {
  const result = { ...RESULT, isSuccess: false, errorMessage: 'No \u001B[31msuch list.' };
  const { code, out, err } = await run(['name=a', 'level=low'], { result });
  expect([code, out, err]).toEqual([1, '', 'fairlead: No such list.\n']);
});
