import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import {
  packageList,
  PACKAGES_FILE,
  readAllowedPackages,
} from '@fairlead/connector-model/packages/allowed-package';
import { fetchPackages } from '@fairlead/connector-model/packages/fetch-packages';
import { captureLog } from '@fairlead/service-kit/testing/log-lines';
import { expect, it, onTestFinished } from 'vitest';
import { testCall, testEgress, testTool } from '../testing/calls.ts';
import { createPackageWorkers } from './package-workers.ts';

const INTEGRITY = 'sha512-AAAA';

/** An ES module that waits at its top level, and uses a CommonJS dependency, files of its own and what Node offers. */
const TREE = {
  'node_modules/acme-server/package.json': JSON.stringify({
    name: 'acme-server',
    version: '1.2.3',
    type: 'module',
  }),
  'node_modules/acme-server/greeting.txt': 'Ahoy',
  'node_modules/acme-server/main.js': `#!/usr/bin/env node
    import { readFile } from 'node:fs/promises';
    import { createRequire } from 'module';
    import { spawn } from 'child_process';
    import { fileURLToPath } from 'url';
    import serve from 'acme-lines';
    import settings from './settings.json' with { type: 'json' };
    const { version } = createRequire(import.meta.url)('./package.json');
    const greeting = await readFile(fileURLToPath(new URL('greeting.txt', import.meta.url)), 'utf8');
    let optional;
    try { optional = await import('not-installed'); } catch (error) { optional = error.message; }
    const { late } = await import('./late.js');
    serve({ greet: () => ({ greeting, version, late, optional, settings }), fork: () => spawn('id') });`,
  'node_modules/acme-server/late.js': `export const late = import.meta.url.endsWith('/node_modules/acme-server/late.js');`,
  'node_modules/acme-server/settings.json': '{"a":1}',
  'node_modules/acme-lines/package.json': JSON.stringify({
    name: 'acme-lines',
    version: '1.0.0',
    main: 'lines.js',
  }),
  'node_modules/acme-lines/lines.js': `
    const readline = require('readline');
    module.exports = (tools) => {
      const write = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
      const answers = {
        initialize: ({ protocolVersion }) => ({
          protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'Acme', version: '1' },
        }),
        'tools/list': () => ({ tools: Object.keys(tools).map((name) => ({ name, inputSchema: { type: 'object' } })) }),
        'tools/call': ({ name }) => {
          try { return { structuredContent: tools[name](), content: [] }; }
          catch (error) { return { isError: true, content: [{ type: 'text', text: error.message }] }; }
        },
      };
      readline.createInterface({ input: process.stdin }).on('line', (line) => {
        const { id, method, params } = JSON.parse(line);
        if (id !== undefined) write({ id, result: answers[method](params) });
      });
    };
    if (require.main === module) throw new Error('It is not the program.');
    if (!__dirname.endsWith('/node_modules/acme-lines')) throw new Error(__dirname);`,
};

function lockFile(members: object = {}): string {
  return JSON.stringify({
    lockfileVersion: 3,
    packages: {
      '': { dependencies: { 'acme-server': '1.2.3' } },
      'node_modules/acme-server': { version: '1.2.3', integrity: INTEGRITY },
      'node_modules/acme-lines': { version: '1.0.0', integrity: 'sha512-BBBB', ...members },
    },
  });
}

async function setUp() {
  const directory = await mkdtemp(join(tmpdir(), 'fairlead-packages-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const { packages } = packageList.parse({
    packages: [
      {
        package: 'acme-server',
        version: '1.2.3',
        integrity: INTEGRITY,
        kind: 'mcp',
        file: 'main.js',
        lock: 'acme.json',
      },
    ],
  });
  const installed: string[] = [];
  const fetch = (lock = lockFile(), tree: Readonly<Record<string, string>> = TREE): Promise<void> =>
    fetchPackages(packages, directory, {
      readLock: () => Promise.resolve(lock),
      install: async (text, folder) => {
        installed.push(text);
        for (const [path, content] of Object.entries(tree)) {
          await mkdir(dirname(join(folder, path)), { recursive: true });
          await writeFile(join(folder, path), content);
        }
      },
    });
  return { directory, fetch, installed };
}

it('a server and its dependencies become one program, which finds its files', async () => {
  const { directory, fetch, installed } = await setUp();
  await fetch();
  await fetch();
  expect(installed).toHaveLength(1);
  expect(await readdir(directory)).toHaveLength(4);
  const egress = testEgress();
  const workers = createPackageWorkers({
    packages: await readAllowedPackages(directory),
    egress,
    log: captureLog().log,
    limits: { unresponsiveMs: 20_000, startMs: 60_000 },
  });
  onTestFinished(async () => {
    await Promise.all([workers.close(), egress.close()]);
  });
  const call = (action: string) => {
    const { connector, method, credential } = testCall(
      testTool({ type: 'package', package: 'acme-server', version: '1.2.3', action }),
    );
    return workers.callAction({
      connector,
      method,
      credential,
      accountId: 'a',
      filters: [],
      sorts: [],
      maxOutputBytes: 1_000,
      signal: new AbortController().signal,
      timeoutMs: 60_000,
      fields: { package: 'acme-server', version: '1.2.3', action, props: {} },
    });
  };
  expect(await call('greet')).toEqual({
    greeting: 'Ahoy',
    version: '1.2.3',
    late: true,
    optional: 'The package needs the module not-installed, which is not in its file.',
    settings: { a: 1 },
  });
  await expect(call('fork')).rejects.toThrow(
    'Access to the module child_process is restricted in this process.',
  );
  // Other dependencies are another program.
  await fetch(lockFile({ integrity: 'sha512-CCCC' }));
  expect(installed).toHaveLength(2);
});

it.each([
  ['with another digest', lockFile().replaceAll(INTEGRITY, 'sha512-DDDD'), TREE, 'another version or digest'],
  [
    'with a dependency that is not pinned',
    lockFile({ integrity: undefined }),
    TREE,
    'no digest of node_modules/acme-lines',
  ],
  ['of another kind', '{}', TREE, 'not one of npm'],
  [
    'whose package has no program',
    lockFile(),
    { 'node_modules/acme-server/other.js': '' },
    'no file main.js',
  ],
])('a lock file %s is refused, and nothing is written', async (_name, lock, tree, text) => {
  const { directory, fetch } = await setUp();
  await expect(fetch(lock, tree)).rejects.toThrow(new RegExp(`^acme-server@1.2.3: .*${text}`));
  expect(await readdir(directory)).not.toContain(PACKAGES_FILE);
});
