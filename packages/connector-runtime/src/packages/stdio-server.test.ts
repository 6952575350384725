import { fieldDescriptor } from '@fairlead/connector-model/schema/authentication';
import { describe, expect, it } from 'vitest';
import type { ToolOutcome } from '../call.ts';
import { testCredential } from '../testing/calls.ts';
import { failureOf, setUpPackage } from '../testing/package-calls.ts';
import { serverProgram } from '../testing/test-packages.ts';

const KEY = fieldDescriptor.parse({ name: 'key', label: 'Key', description: 'The key.', isRequired: true });
const SITE = fieldDescriptor.parse({ name: 'site', label: 'Site', description: 'The site.' });

/** A server with these tools whose connections have a key, and may have a site. */
function setUpServer(tools: string, members = '') {
  return setUpPackage(serverProgram(tools, members), {
    allowed: {
      kind: 'mcp',
      fields: [KEY, SITE],
      environment: { ACME_KEY: '{{field.key}}', ACME_SITE: '{{field.site}}', ACME_MODE: 'stdio' },
      arguments: ['--stdio', '--site={{field.site}}'],
    },
  });
}

const withFields = (fields: Record<string, string>) => ({
  credential: testCredential(fields, { secrets: Object.values(fields) }),
});

describe('a tool of an MCP server', () => {
  it('gets the credential of its connection in the environment and the arguments, as the operator says', async () => {
    const { call } = await setUpServer(`
      read: async (given) => ({ given, env: { ...process.env }, argv: process.argv.slice(2), count: globalThis.count = (globalThis.count ?? 0) + 1 }),
    `);
    expect(await call('read', { a: [1] }, withFields({ key: 'k1' }))).toMatchObject({
      isSuccess: true,
      output: { given: { a: [1] }, env: { ACME_KEY: 'k1', ACME_MODE: 'stdio' }, argv: ['--stdio'], count: 1 },
    });
    expect(await call('read', {}, withFields({ key: 'k1' }))).toMatchObject({ output: { count: 2 } });
    // Another connection has a process of its own.
    expect(await call('read', {}, withFields({ key: 'k2', site: 'eu' }))).toMatchObject({
      output: { env: { ACME_KEY: 'k2', ACME_SITE: 'eu' }, argv: ['--stdio', '--site=eu'], count: 1 },
    });
  });

  it('returns its content if it has no structured one, and an error as a failure', async () => {
    const { call } = await setUpServer(`
      text: async () => [1],
      fail: async () => { throw new Error('the key k-secret is bad'); },
    `);
    expect(await call('text', {}, withFields({ key: 'k-secret' }))).toMatchObject({
      output: { content: [{ type: 'text', text: '[1]' }] },
    });
    expect(failureOf(await call('fail', {}, withFields({ key: 'k-secret' })))).toBe('the key *** is bad');
    expect(failureOf(await call('none', {}, withFields({ key: 'k-secret' })))).toBe('Unknown tool none');
  });

  it('may write other lines, and notifications, to its output', async () => {
    const { call } = await setUpServer(
      `
      chat: async () => {
        console.log('no message');
        write({ method: 'notifications/message', params: { level: 'info', data: 'x' } });
        setTimeout(() => write({ method: 'notifications/tools/list_changed' }), 0);
        return { ok: true };
      },`,
      `console.log('Acme server is ready');`,
    );
    for (let round = 0; round < 3; round += 1)
      expect(await call('chat', {}, withFields({ key: 'k' }))).toMatchObject({ output: { ok: true } });
  });

  it('is called again after its server has ended, which starts anew in another process', async () => {
    const { call } = await setUpServer(`
      end: async () => { console.error('cannot go on'); process.exit(4); },
      count: async () => ({ count: globalThis.count = (globalThis.count ?? 0) + 1 }),
    `);
    const credential = withFields({ key: 'k' });
    for (let round = 0; round < 2; round += 1) {
      expect(await call('count', {}, credential)).toMatchObject({ output: { count: 1 } });
      expect(failureOf(await call('end', {}, credential))).toBe(
        'The MCP server ended with code 4. It wrote: cannot go on',
      );
    }
  });

  it('is called again after its server did not start, each time in another process', async () => {
    const { call } = await setUpServer(
      'read: async () => ({}),',
      `throw new Error('bad key, run ' + (globalThis.count = (globalThis.count ?? 0) + 1));`,
    );
    for (let round = 0; round < 2; round += 1)
      expect(failureOf(await call('read', {}, withFields({ key: 'k' })))).toBe(
        'The MCP server failed: bad key, run 1',
      );
  });

  it('is called again after its server has ended between two calls', async () => {
    const { call } = await setUpServer(`
      endSoon: async () => { setTimeout(() => process.exit(0), 1); return {}; },
      count: async () => ({ count: (runs.n = (runs.n ?? 0) + 1), pid: process.pid }),
    `);
    const credential = withFields({ key: 'k' });
    const count = (): Promise<ToolOutcome> => call('count', {}, credential);
    const first = await count();
    expect(await call('endSoon', {}, credential)).toMatchObject({ isSuccess: true });
    await expect.poll(count, { timeout: 60_000 }).toMatchObject({ output: { count: 1 } });
    // A process runs at most two programs.
    expect(await count()).not.toMatchObject({ output: { pid: first.isSuccess && first.output['pid'] } });
  });

  it('that sends too much in one line is refused', async () => {
    const { call } = await setUpServer(`
      flood: async () => { for (let n = 0; n < 9; n += 1) process.stdout.write('x'.repeat(1024 * 1024)); },
    `);
    expect(failureOf(await call('flood', {}, withFields({ key: 'k' })))).toBe(
      'The MCP server sent a line that is too long.',
    );
  });
});

describe('an MCP server', () => {
  const options = { accountId: 'a', signal: new AbortController().signal, timeoutMs: 60_000 };
  const named = { name: 'acme-piece', version: '1.0.0' };

  it('describes its tools with an example in place of the key', async () => {
    const { workers } = await setUpServer(
      'read: async () => ({}),',
      `if (process.env.ACME_KEY === undefined) throw new Error('There is no key.');
       definitions[0].annotations = { readOnlyHint: true };`,
    );
    expect(await workers.describe(named, options)).toMatchObject({
      kind: 'mcp',
      description: {
        serverName: 'Acme server',
        serverVersion: '3.0.0',
        tools: [{ toolSlug: 'read', description: 'Runs read', retryClass: 'readOnly', isDestructive: false }],
      },
      fields: [KEY, SITE],
    });
  });

  it.each([
    ['that throws', `throw new Error('no start');`, 'The MCP server failed: no start'],
    [
      'that ends at once',
      `console.error('usage: acme'); process.exit(2);`,
      'The MCP server ended with code 2. It wrote: usage: acme',
    ],
    [
      'that reads a file',
      `require('node:fs').readFileSync('/etc/passwd');`,
      'The MCP server failed: Access to this API has been restricted. Use --allow-fs-read to manage permissions. (FileSystemRead /etc/passwd)',
    ],
    [
      'that refuses the greeting',
      `results.initialize = async () => ({ protocolVersion: 'none' });`,
      'The MCP server did not start',
    ],
  ])('%s does not start, and the error says so', async (_name, members, text) => {
    const { workers } = await setUpServer('read: async () => ({}),', members);
    await expect(workers.describe(named, options)).rejects.toThrow(text);
  });
});
