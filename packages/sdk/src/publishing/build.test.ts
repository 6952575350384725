import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApiServer } from '../testing/api-server.ts';
import { build } from './build.ts';

const run = promisify(execFile);
let folder: string;

// A program beside a node_modules folder with the published package.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-sdk-'));
  await mkdir(join(folder, 'node_modules/@fairlead'), { recursive: true });
  build(join(folder, 'node_modules/@fairlead/sdk'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it('the published package runs as plain JavaScript, and brings no dependency', async () => {
  const server = await startApiServer(() => ({ status: 200, body: { accountId: 'acc_1' } }));
  const program = `
    import { Fairlead, FairleadError } from '@fairlead/sdk';
    const who = await new Fairlead({ baseUrl: '${server.url}', apiKey: 'k' }).auth.whoami();
    const { openConnect } = await import('@fairlead/sdk/connect');
    // No framework is installed here.
    for (const name of ['openai', 'anthropic']) await import('@fairlead/sdk/' + name);
    for (const name of ['ai', 'langchain']) {
      await import('@fairlead/sdk/' + name).then(
        () => console.log(name, 'loaded'),
        (error) => console.log(error.code),
      );
    }
    console.log(who.accountId, typeof FairleadError, typeof openConnect);`;
  await writeFile(join(folder, 'program.mjs'), program);
  const { stdout } = await run(process.execPath, ['--no-experimental-strip-types', 'program.mjs'], {
    cwd: folder,
  });
  expect(stdout).toBe('ERR_MODULE_NOT_FOUND\nERR_MODULE_NOT_FOUND\nacc_1 function function\n');
  await server.close();
  const published: unknown = JSON.parse(
    await readFile(join(folder, 'node_modules/@fairlead/sdk/package.json'), 'utf8'),
  );
  expect(published).not.toHaveProperty('private');
  expect(published).not.toHaveProperty('dependencies');
  expect(published).toMatchObject({ peerDependenciesMeta: { ai: { optional: true } } });
});

it('its types hold a program to the API, without Node’s types and with the strictest flags', async () => {
  const program = `
    import { Fairlead, FairleadError, type Connection } from '@fairlead/sdk';
    import { openConnect, type ConnectSession } from '@fairlead/sdk/connect';
    export const open = (connectUrl: Promise<string>, done: (session: ConnectSession) => void): void =>
      openConnect({ connectUrl, onSuccess: done, onError: ({ code }) => console.error(code) }).focus();
    // @ts-expect-error no such way to open it
    void openConnect({ connectUrl: 'https://a', mode: 'frame' });
    const client = new Fairlead({ baseUrl: 'https://a', accessToken: async () => 'token' });
    export async function names(): Promise<string[]> {
      const all: Connection[] = [];
      for await (const connection of client.connections.iterate({ kind: 'Key' })) all.push(connection);
      return all.map(({ connectionName }) => connectionName);
    }
    export const isGone = (error: unknown): boolean =>
      error instanceof FairleadError && (error.errorCode === 'NOT_FOUND' || error.errorCode === 'ANOTHER');
    // @ts-expect-error no such kind
    void client.connections.list({ kind: 'Wrong' });
    // @ts-expect-error one credential, not two
    void new Fairlead({ baseUrl: 'https://a', apiKey: 'k', accessToken: 't' });
    // @ts-expect-error a connection needs a name
    void client.connections.create({ applicationSlug: 'a' });
  `;
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'program.ts'), program);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noEmit: true,
    module: 'nodenext',
    target: 'es2022',
    lib: ['es2022', 'dom'],
    types: [],
  };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['program.ts'] }));
  const compiler = join(
    dirname(createRequire(import.meta.url).resolve('typescript/package.json')),
    'bin/tsc',
  );
  const { stdout } = await run(process.execPath, [compiler, '-p', folder]).catch(
    (error: unknown) => error as { stdout: string },
  );
  expect(stdout).toBe('');
});
