import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { build as buildCli } from '@fairlead/cli/publishing/build';
import { temporaryFolder } from '@fairlead/local-stores/testing/temporary-folder';
import { build as buildSdk } from '@fairlead/sdk/publishing/build';
import { startApiServer } from '@fairlead/sdk/testing/api-server';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { expect, it } from 'vitest';

const run = promisify(execFile);
const attw = join(
  dirname(createRequire(import.meta.url).resolve('@arethetypeswrong/cli/package.json')),
  'dist/index.js',
);
const PACKAGES = [
  ['sdk', buildSdk],
  ['cli', buildCli],
] as const;

/** Packs a package; returns the file. Needs no network and writes nothing to the home folder. */
async function pack(folder: string, name: string): Promise<string> {
  const args = [
    'pack',
    join(folder, name),
    '--json',
    '--pack-destination',
    folder,
    '--cache',
    join(folder, 'cache'),
  ];
  const { stdout } = await run('npm', args, { cwd: folder });
  const [{ filename = '' } = {}] = JSON.parse(stdout) as { filename?: string }[];
  return join(folder, filename);
}

it.each(PACKAGES)('%s: publint and arethetypeswrong find nothing', async (name, build) => {
  const folder = await temporaryFolder();
  await build(join(folder, name));
  const { messages, pkg } = await publint({ pkgDir: join(folder, name), pack: false, strict: true });
  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  // It exits with an error if it has findings.
  await run(process.execPath, [attw, await pack(folder, name), '--profile', 'esm-only', '--quiet']);
});

it('both are installed into an empty folder without a registry, and run', async () => {
  const folder = await temporaryFolder();
  const files: string[] = [];
  for (const [name, build] of PACKAGES) {
    await build(join(folder, name));
    files.push(await pack(folder, name));
  }
  const program = join(folder, 'program');
  await mkdir(program);
  await writeFile(join(program, 'package.json'), '{"type":"module","private":true}');
  const install = [
    'install',
    '--offline',
    '--no-audit',
    '--no-fund',
    '--cache',
    join(folder, 'cache'),
    ...files,
  ];
  await run('npm', install, { cwd: program });
  const server = await startApiServer(() => ({ status: 200, body: { accountId: 'acc_1' } }));
  try {
    const source = `
      import { Fairlead } from '@fairlead/sdk';
      import { openConnect } from '@fairlead/sdk/connect';
      const { accountId } = await new Fairlead({ baseUrl: '${server.url}', apiKey: 'k' }).auth.whoami();
      console.log(accountId, typeof openConnect);`;
    await writeFile(join(program, 'program.js'), source);
    const node = ['--no-experimental-strip-types'];
    const sdk = await run(process.execPath, [...node, 'program.js'], { cwd: program });
    expect(sdk.stdout).toBe('acc_1 function\n');
    const environment = { FAIRLEAD_URL: server.url, FAIRLEAD_API_KEY: 'k', HOME: folder };
    const bin = join(program, 'node_modules/@fairlead/cli/lib/fairlead.js');
    const cli = await run(process.execPath, [...node, bin, 'whoami', '--json'], { env: environment });
    expect(JSON.parse(cli.stdout)).toEqual({ accountId: 'acc_1' });
    const version = await run(process.execPath, [...node, bin, '--version']);
    expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    // Loaded on first use only.
    const context = ['context', '--for', 'tools', '--account', 'acc_1'];
    const keys = { CALLER_CONTEXT_KEYS: `v1:${Buffer.alloc(32, 1).toString('base64')}` };
    const header = await run(process.execPath, [...node, bin, ...context], { env: keys });
    expect(header.stdout).toMatch(/^x-fairlead-caller: /);
  } finally {
    await server.close();
  }
});
