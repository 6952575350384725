import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startApiServer } from '@fairlead/sdk/testing/api-server';
import { afterEach, describe, expect, it } from 'vitest';
import type { ApiServer } from '@fairlead/sdk/testing/api-server';

const CLI = fileURLToPath(new URL('cli.ts', import.meta.url));
const run = promisify(execFile);

let server: ApiServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const environment = (): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: '/nowhere',
  FAIRLEAD_URL: server?.url,
  FAIRLEAD_API_KEY: 'k',
});

describe('the process', () => {
  it('ends quietly if its reader has exited', async () => {
    const items = Array.from({ length: 5000 }, (_, index) => ({
      userId: `usr_${index}`,
      name: 'x'.repeat(200),
    }));
    const body = { items, totalCount: items.length, offset: 0, top: 100 };
    server = await startApiServer(() => ({ status: 200, body }));
    const child = spawn(process.execPath, [CLI, 'users', 'list', '--json'], { env: environment() });
    const said = text(child.stderr);
    // The remaining output is far larger than a pipe's buffer.
    await once(child.stdout, 'data');
    child.stdout.destroy();
    await once(child, 'exit');
    expect(child.exitCode).toBe(0);
    expect(await said).toBe('');
  });

  it('works with standard output closed', async () => {
    server = await startApiServer(() => ({
      status: 200,
      body: { items: [], totalCount: 0, offset: 0, top: 100 },
    }));
    const line = '"$0" "$1" users list >&- 2>&-';
    await expect(
      run('sh', ['-c', line, process.execPath, CLI], { env: environment() }),
    ).resolves.toMatchObject({
      stdout: '',
    });
  });

  it('Ctrl-C ends a wait with 130', async () => {
    server = await startApiServer(() => () => undefined);
    const child = spawn(process.execPath, [CLI, 'users', 'list'], { env: environment() });
    await expect.poll(() => server?.received.length).toBe(1);
    child.kill('SIGINT');
    await once(child, 'exit');
    expect(child.exitCode).toBe(130);
  });
});

/** The `script` of util-linux: `script -qec <command> /dev/null`. */
const hasScript = await run('script', ['--version']).then(
  ({ stdout }) => stdout.includes('util-linux'),
  () => false,
);

describe.runIf(hasScript)('at a terminal', () => {
  /** Types `keys` one after the other, each when its prompt appears. */
  async function type(
    command: string,
    keys: readonly (readonly [question: string, answer: string])[],
  ): Promise<string> {
    const child = spawn('script', ['-qec', `"${process.execPath}" "${CLI}" ${command}`, '/dev/null'], {
      env: environment(),
    });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => (shown += piece));
    let seen = 0;
    for (const [question, answer] of keys) {
      await expect.poll(() => shown.indexOf(question, seen)).toBeGreaterThanOrEqual(0);
      seen = shown.length;
      child.stdin.write(answer);
    }
    await once(child, 'exit');
    return `${shown}[${child.exitCode}]`;
  }

  it('a password is typed and not shown', async () => {
    server = await startApiServer(() => ({ status: 200, body: { userId: 'usr_1', createdAt: '' } }));
    const shown = await type('users update usr_1 --password', [
      ['Password: ', 'correct horse\r'],
      ['Repeat the password: ', 'correct horse\r'],
    ]);
    expect(shown).toMatch(/\[0\]$/);
    expect(shown).not.toContain('correct');
    expect(server.received[0]?.body).toBe('{"password":"correct horse"}');
  });

  it('a line that was pasted behind a command is no password: nothing is sent, and the error says so', async () => {
    server = await startApiServer(() => ({ status: 200, body: { userId: 'usr_1' } }));
    const line = `read -r go; "${process.execPath}" "${CLI}" users update usr_1 --password`;
    const child = spawn('script', ['-qec', `sh -c '${line}'`, '/dev/null'], { env: environment() });
    const shown = text(child.stdout);
    // The first line ends the shell's wait; by then the terminal has the second line.
    child.stdin.write('go\nfairlead keys list\n');
    await once(child, 'exit');
    expect(child.exitCode).toBe(2);
    expect(await shown).toContain('Paste it alone, or use --password-stdin.');
    expect(server.received).toEqual([]);
  });

  it('a missing input is asked for', async () => {
    server = await startApiServer(({ method }) => ({
      status: 200,
      body:
        method === 'GET'
          ? { inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } }
          : { isSuccess: true, output: {}, historyId: null },
    }));
    expect(await type('tools run add', [['name (text): ', 'Ada\r']])).toMatch(/\[0\]$/);
    expect(server.received[1]?.body).toBe('{"fields":{"name":"Ada"}}');
  });

  it('a destructive command asks for confirmation, and stops at a no', async () => {
    server = await startApiServer(() => ({ status: 204 }));
    const no = await type('keys revoke key_1', [['Type revoke to continue: ', 'no\r']]);
    expect(no).toContain('Nothing was done.');
    expect(no).toMatch(/\[1\]$/);
    expect(server.received).toEqual([]);
    expect(await type('keys revoke key_1', [['Type revoke to continue: ', 'revoke\r']])).toMatch(/\[0\]$/);
    expect(server.received).toHaveLength(1);
  });
});
