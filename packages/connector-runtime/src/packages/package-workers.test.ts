import { describe, expect, it, onTestFinished } from 'vitest';
import { testCall, testCredential, testEgress, testMethod, testTool } from '../testing/calls.ts';
import { startTestServer } from '../testing/http-server.ts';
import { failureOf, setUpPackage } from '../testing/package-calls.ts';
import { pieceProgram, serverProgram } from '../testing/test-packages.ts';

/** The two kinds of packages, each with a program of these actions (JavaScript: the members of an object). */
const KINDS = [
  { kind: 'piece', programOf: (actions: string) => pieceProgram(actions) },
  { kind: 'mcp', programOf: (tools: string) => serverProgram(tools) },
] as const;

describe('an action', () => {
  it('gets its inputs and returns its result', async () => {
    const { call, charged } = await setUpPackage(
      pieceProgram(`
        echo: async ({ propsValue, auth }) => ({ propsValue, auth: auth ?? null }),
        list: async () => [1, 2],
        nothing: async () => undefined,
      `),
    );
    expect(await call('echo', { a: 1, b: { c: [true] } })).toMatchObject({
      isSuccess: true,
      output: { propsValue: { a: 1, b: { c: [true] } }, auth: null },
    });
    expect(await call('list')).toMatchObject({ output: { result: [1, 2] } });
    expect(await call('nothing')).toMatchObject({ output: { result: null } });
    expect(failureOf(await call('other'))).toBe('The piece has no action other.');
    await expect.poll(() => charged).toContain('test-account');
  });

  it.each([
    ['SECRET_TEXT', {}, { secret: 's3cret' }, { secret_text: 's3cret' }],
    ['BASIC_AUTH', {}, { username: 'u', password: 'p' }, { username: 'u', password: 'p' }],
    ['CUSTOM_AUTH', { key: {}, site: {} }, { key: 'k', other: 'x' }, { props: { key: 'k' } }],
    [
      'OAUTH2',
      { region: {} },
      { region: 'eu', clientId: 'c', clientSecret: 's', refreshToken: 'r' },
      { access_token: 't', token_type: 'Bearer', scope: '', data: {}, props: { region: 'eu' } },
    ],
  ])('gets its credential as %s, and nothing else of the connection', async (type, props, fields, auth) => {
    const { call } = await setUpPackage(
      `${pieceProgram('auth: async ({ auth }) => auth,')}
      exports.acme.auth = [{ type: 'NONE' }, ${JSON.stringify({ type, props })}];`,
    );
    const method = testMethod({ type: 'custom' }, { authenticationId: 1 });
    const credential = testCredential(fields, { accessToken: 't' });
    expect(await call('auth', {}, { method, credential })).toMatchObject({ output: { type, ...auth } });
    const { output } = await call('auth', {}, { method, credential }).then((outcome) =>
      outcome.isSuccess ? outcome : { output: {} },
    );
    expect(output).toEqual({ type, ...auth });
  });

  it('gets default values, and a file with its bytes', async () => {
    const { call } = await setUpPackage(
      `${pieceProgram('run: async ({ propsValue: { top, doc } }) => ({ top, text: doc.data.toString(), extension: doc.extension }),')}
      exports.acme.actions().run.props = { top: { type: 'NUMBER', defaultValue: 5 }, doc: { type: 'FILE' } };`,
    );
    const doc = { name: 'a.txt', contentType: 'text/plain', base64: Buffer.from('hello').toString('base64') };
    expect(await call('run', { doc })).toMatchObject({ output: { top: 5, text: 'hello', extension: 'txt' } });
  });

  it.each(KINDS)(
    'of a $kind with a result above the limit fails, and says so',
    async ({ kind, programOf }) => {
      const { call } = await setUpPackage(
        programOf(`
        large: async () => ({ text: 'x'.repeat(1.1 * 1024 * 1024) }),
        larger: async () => ({ text: 'x'.repeat(3 * 1024 * 1024) }),
      `),
        { allowed: { kind } },
      );
      for (const action of ['large', 'larger'])
        expect(failureOf(await call(action))).toContain('The result is larger than 1 MiB.');
    },
  );

  it('has a store, files, a project, and connections of nobody; it cannot wait for people', async () => {
    const { call } = await setUpPackage(
      pieceProgram(`
        use: async ({ store, files, connections, project, server }) => {
          await store.put('a', 1);
          return {
            kept: await store.get('a'), file: await files.write({ fileName: 'a', data: Buffer.from('x') }),
            connection: await connections.get('other'), project: typeof project.id, server: typeof server.apiUrl,
          };
        },
        pause: async ({ run }) => run.pause({ pauseMetadata: {} }),
        resume: async ({ generateResumeUrl }) => generateResumeUrl({}),
      `),
    );
    expect(await call('use')).toMatchObject({
      output: {
        kept: 1,
        file: 'data:application/octet-stream;base64,eA==',
        connection: null,
        project: 'string',
        server: 'string',
      },
    });
    for (const action of ['pause', 'resume'])
      expect(failureOf(await call(action))).toContain('waits for an event outside of its call');
  });

  it('sends requests by http, https modules and fetch, as it would without a guard', async () => {
    const vendor = await startTestServer(({ path }) =>
      path === '/moved' ? { status: 302, headers: { location: '/here' } } : { body: { ok: path } },
    );
    onTestFinished(() => vendor.close());
    const { call } = await setUpPackage(
      pieceProgram(`
        fetch: async ({ propsValue: { url } }) => {
          const response = await fetch(url + '/moved', { method: 'POST', body: 'a', headers: { 'x-key': 'k' } });
          return { status: response.status, url: await response.json() };
        },
        http: ({ propsValue: { url } }) => new Promise((resolve, reject) => {
          const request = require('http').request(url + '/a?b=c', { method: 'PUT', headers: { 'x-key': 'k' } }, (response) => {
            let text = '';
            response.on('data', (part) => { text += part; });
            response.on('end', () => resolve({ status: response.statusCode, ...JSON.parse(text) }));
          });
          request.on('error', reject);
          request.write('one');
          request.end('two');
        }),
      `),
    );
    const { url } = vendor;
    expect(await call('fetch', { url })).toMatchObject({ output: { status: 200, url: { ok: '/here' } } });
    expect(await call('http', { url })).toMatchObject({ output: { status: 200, ok: '/a' } });
    expect(
      vendor.requests.map(({ method, path, body, headers }) => [method, path, body, headers['x-key']]),
    ).toEqual([
      ['POST', '/moved', 'a', 'k'],
      ['GET', '/here', '', 'k'],
      ['PUT', '/a', 'onetwo', 'k'],
    ]);
  });

  it('may send requests to the hosts of its package only', async () => {
    const { call } = await setUpPackage(
      pieceProgram(`get: async ({ propsValue: { url } }) => ({ text: await (await fetch(url)).text() }),`),
      {
        allowed: { hosts: ['acme.test'] },
      },
    );
    for (const url of ['https://evil.test/', 'https://notacme.test/', 'https://acme.test.evil.test/'])
      expect(failureOf(await call('get', { url }))).toBe(
        `The package may send requests to acme.test only, not to ${new URL(url).hostname}.`,
      );
    expect(failureOf(await call('get', { url: 'https://api.acme.test/' }))).toBe(
      'The host api.acme.test does not exist.',
    );
  });

  it('shows no secret in its failure', async () => {
    const { call } = await setUpPackage(
      pieceProgram(`fail: async () => { throw new Error('the key s3cret-key is bad'); },`),
    );
    const credential = testCredential({ secret: 's3cret-key' }, { secrets: ['s3cret-key'] });
    expect(failureOf(await call('fail', {}, { credential }))).toBe('the key *** is bad');
  });
});

describe.each(KINDS)('the code of a $kind is stopped, and the error says so:', ({ kind, programOf }) => {
  it.each([
    ['a loop', 'while (true);', 'used the processor for', { unresponsiveMs: 2_000 }],
    // These may block the worker for long before they reach its limit of memory.
    [
      'a leak',
      'const all = []; while (true) { all.push(Buffer.alloc(1e6, 1)); await null; }',
      'needed more memory',
      {},
    ],
    [
      'a leak of its heap',
      'const all = []; while (true) all.push({ a: all.length });',
      'needed more memory',
      {},
    ],
  ])('%s', async (_name, body, text, limits) => {
    const { call } = await setUpPackage(programOf(`attack: async () => { ${body} },`), {
      limits,
      allowed: { kind },
    });
    expect(failureOf(await call('attack'))).toContain(text);
  });

  it('its end', async () => {
    const { call } = await setUpPackage(programOf(`attack: async () => { process.exit(3); },`), {
      allowed: { kind },
    });
    expect(failureOf(await call('attack'))).toContain(
      kind === 'piece' ? 'process that made the call ended' : 'The MCP server ended with code 3.',
    );
  });

  it.each([
    ['a fork', `require('child_process').fork('/x')`, 'child_process is restricted'],
    [
      'a fork by another way',
      `process.getBuiltinModule('child_process').execSync('id')`,
      'child_process is restricted',
    ],
    ['another program', `process.execve('/bin/true', [], {})`, 'restricted'],
    [
      'a thread',
      `new (require('worker_threads').Worker)('0', { eval: true })`,
      'worker_threads is restricted',
    ],
    ['/proc', `require('fs').readFileSync('/proc/self/environ')`, 'FileSystemRead /proc/self/environ'],
    ['a file of the system', `require('fs').readFileSync('/etc/passwd')`, 'FileSystemRead /etc/passwd'],
    ['writing a file', `require('fs').writeFileSync('/tmp/fairlead-x', '')`, 'FileSystemWrite'],
    [
      'writing a file by a database',
      `new (process.getBuiltinModule('node:sqlite').DatabaseSync)('/tmp/x')`,
      'sqlite is restricted',
    ],
    ['a module that is loaded by text', `await eval("import('node:sqlite')")`, 'import'],
    ['a raw socket', `require('net').connect(80, '127.0.0.1')`, 'network is restricted'],
    ['a raw socket below it', `require('net')._createServerHandle('127.0.0.1')`, 'network is restricted'],
    ['a TLS socket', `require('tls').connect(443, '127.0.0.1')`, 'network is restricted'],
    ['a datagram', `require('dgram').createSocket('udp4')`, 'dgram is restricted'],
    ['a server', `require('net').createServer().listen(0)`, 'network is restricted'],
    ['a name server', `await require('dns').promises.resolve('example.com')`, 'network is restricted'],
    ['a native add-on', `process.dlopen({ exports: {} }, '/x.node')`, 'Cannot load native addon'],
    ['a binding', `process.binding('tcp_wrap')`, 'process.binding'],
    ['a signal to the service', `process.kill(process.ppid, 0)`, 'other processes is restricted'],
    ['a private address', `await fetch('http://10.0.0.1/')`, 'is not a public address'],
    ['the metadata of a cloud', `await fetch('http://169.254.169.254/')`, 'is not a public address'],
    ['another module', `require('left-pad')`, 'needs the module left-pad'],
  ])('%s', async (_name, expression, text) => {
    const { call } = await setUpPackage(programOf(`attack: async () => ({ got: String(${expression}) }),`), {
      allow: [],
      allowed: { kind },
    });
    expect(failureOf(await call('attack'))).toContain(text);
  });

  it('the environment', async () => {
    const { call } = await setUpPackage(
      programOf(`attack: async () => ({ names: Object.keys(process.env), argv: process.argv.slice(2) }),`),
      { allowed: { kind } },
    );
    expect(await call('attack')).toMatchObject({ output: { names: [], argv: [] } });
  });

  it('another account’s and another package’s state', async () => {
    const { call, workers } = await setUpPackage(
      programOf(`attack: async () => ({ count: (globalThis.count = (globalThis.count ?? 0) + 1) }),`),
      { allowed: { kind } },
    );
    expect([await call('attack'), await call('attack')]).toMatchObject([
      { output: { count: 1 } },
      { output: { count: 2 } },
    ]);
    const { signal } = new AbortController();
    const ofOther = { accountId: 'other', signal, timeoutMs: 60_000 };
    const fields = { package: 'acme-piece', version: '1.0.0', action: 'attack', props: {} };
    const tool = testTool({ type: 'package', package: 'acme-piece', version: '1.0.0', action: 'attack' });
    const { connector, method, credential } = testCall(tool);
    const handler = {
      connector,
      method,
      credential,
      fields,
      filters: [],
      sorts: [],
      egress: testEgress(),
      maxOutputBytes: 1_000,
    };
    expect(await workers.callAction({ ...handler, ...ofOther })).toEqual({ count: 1 });
  });

  it('a request of more than it may send', async () => {
    const { call } = await setUpPackage(
      programOf(
        `attack: async () => fetch('https://acme.test/', { method: 'POST', body: 'x'.repeat(1e6) }),`,
      ),
      { allowed: { kind } },
    );
    expect(failureOf(await call('attack'))).toBe('The request has more than 700 KiB.');
  });
});

describe('a package', () => {
  it('describes itself, without its functions', async () => {
    const { workers } = await setUpPackage(pieceProgram(`do: async () => ({}),`));
    const options = { accountId: 'a', signal: new AbortController().signal, timeoutMs: 60_000 };
    expect(await workers.describe({ name: 'acme-piece', version: '1.0.0' }, options)).toMatchObject({
      kind: 'piece',
      description: {
        piece: { displayName: 'Acme' },
        actions: [{ name: 'do', audience: 'both' }],
        triggers: [],
      },
    });
    expect(await workers.describe({ name: 'acme-piece', version: '1.0.1' }, options)).toBeUndefined();
  });

  it.each([
    [
      'of an older context',
      `exports.acme = { actions: () => ({}), triggers: () => ({}) };`,
      'context version 1',
    ],
    ['without a piece', 'exports.other = {};', 'has no piece'],
    ['that does not load', 'throw new Error("no start");', 'no start'],
    ['with a syntax error', 'const = 1;', 'Unexpected token'],
  ])('%s is refused', async (_name, program, text) => {
    const { workers } = await setUpPackage(program);
    const options = { accountId: 'a', signal: new AbortController().signal, timeoutMs: 60_000 };
    const described = workers.describe({ name: 'acme-piece', version: '1.0.0' }, options);
    await expect(described).rejects.toThrow(text);
  });

  it('that the operator does not allow any more is not called', async () => {
    const { call } = await setUpPackage(pieceProgram(`do: async () => ({}),`), {
      allowed: { version: '1.0.1' },
    });
    expect(failureOf(await call('do'))).toBe('The operator does not allow the package acme-piece 1.0.0.');
  });
});
