import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFile,
  copyFile,
  mkdtemp,
  readFile,
  readdir,
  readlink,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { callTask, TestPlatform } from '@fairlead/agent/testing/test-platform';
import { startAgentProcess } from '@fairlead/agent/testing/agent-process';
import { testConnector, testMethod, testTool } from '@fairlead/connector-runtime/testing/calls';
import { startTestMariadb } from '@fairlead/local-stores/testing/mariadb';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';

const run = promisify(execFile);
const PLATFORM = `linux-${process.arch}`;
const TOKEN = 'opa_0123456789abcdefghijkl';
const main = fileURLToPath(new URL('main.ts', import.meta.url));

let folder: string;
let out: string;
let manifest: {
  version: string;
  releasedAt: string;
  installers: Record<string, { file: string; sha256: string; sizeBytes: number }>;
};
const executable = (): string => join(out, manifest.installers[PLATFORM]?.file ?? '');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairlead-release-'));
  out = join(folder, 'out');
  const env = { ...process.env, SOURCE_DATE_EPOCH: '1796000000' };
  await run(process.execPath, [main, '--out', out, '--platform', PLATFORM], { env });
  manifest = JSON.parse(await readFile(join(out, 'manifest.json'), 'utf8')) as typeof manifest;
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.runIf(process.platform === 'linux')('a release of the agent', () => {
  test('has an executable, an npm package and an installer, with their checksums', async () => {
    const { version } = manifest;
    expect(manifest.releasedAt).toBe('2026-11-30T00:53:20.000Z');
    const files = [`fairlead-agent-${version}-${PLATFORM}`, `fairlead-agent-${version}.tgz`, 'install.sh'];
    expect(new Set(await readdir(out))).toEqual(new Set([...files, 'SHA256SUMS', 'manifest.json']));
    const sums = (await readFile(join(out, 'SHA256SUMS'), 'utf8')).trim().split('\n');
    const expected = await Promise.all(
      files.map(async (file) => `${hash('sha256', await readFile(join(out, file)))}  ${file}`),
    );
    expect(sums).toEqual(expected);
    const installer = manifest.installers[PLATFORM];
    expect(expected[0]).toContain(installer?.sha256 ?? 'none');
    expect((await stat(executable())).size).toBe(installer?.sizeBytes);
    const { stdout } = await run(executable(), ['--version']);
    expect(stdout).toBe(`${version} ${PLATFORM}\n`);
  });

  test.each(['the executable', 'the npm package'])(
    '%s needs no checkout, and its workers run the drivers of databases',
    async (name) => {
      const place = await mkdtemp(join(folder, 'place-'));
      let command = [join(place, 'fairlead-agent')];
      if (name === 'the executable') {
        await copyFile(executable(), command[0] ?? '');
      } else {
        const archive = join(out, `fairlead-agent-${manifest.version}.tgz`);
        await run('npm', ['install', '--prefix', place, '--no-audit', '--no-fund', '--offline', archive]);
        command = [process.execPath, join(place, 'node_modules/.bin/fairlead-agent')];
      }
      const mariadb = await startTestMariadb({ directory: await mkdtemp(join(folder, 'mariadb-')) });
      onTestFinished(() => mariadb.stop());
      const { port, user, password, database } = mariadb;
      const profile = { type: 'mysql', host: '127.0.0.1', port, user, password, database };
      const config = JSON.stringify({ profiles: { orders: profile } });
      const platform = new TestPlatform();
      startAgentProcess(await platform.listen(), { config, command });
      const method = testMethod({ type: 'none' });
      const slug = 'onprem-database';
      const connector = testConnector({ slug, kind: 'OPA', authenticationMethods: [method] });
      const tool = testTool({ type: 'handler', handler: 'runQuery' });
      const fields = { profile: 'orders', sql: 'SELECT 6 * 7 AS answer' };
      platform.send(callTask('a', { connector, method, tool, fields, filters: [], sorts: [] }));
      await expect
        .poll(() => platform.outcome('a'), { timeout: 90_000 })
        .toMatchObject({
          isSuccess: true,
          output: { items: [{ answer: 42 }] },
        });
    },
  );
});

describe.runIf(process.platform === 'linux')('install.sh', () => {
  let root: string;
  let stubs: string;
  let log: string;
  beforeEach(async () => {
    root = await mkdtemp(join(folder, 'root-'));
    stubs = await mkdtemp(join(folder, 'stubs-'));
    log = join(stubs, 'log');
    await writeFile(log, '');
    for (const name of ['useradd', 'systemctl', 'chown', 'getent'])
      await writeFile(join(stubs, name), `#!/bin/sh\necho "${name} $*" >> ${log}\n[ ${name} != getent ]\n`, {
        mode: 0o755,
      });
  });

  /** A platform that serves one release: `program`. */
  async function serve(program: {
    readonly version: string;
    readonly bytes: Buffer;
    readonly sha256?: string;
  }) {
    let current = program;
    const server = createServer((request, response) => {
      const { version, bytes } = current;
      if (request.url === '/program') return void response.end(bytes);
      const record = {
        version,
        platform: PLATFORM,
        url: `${url}/program`,
        sha256: current.sha256 ?? hash('sha256', bytes),
        sizeBytes: bytes.length,
        releasedAt: '2026-11-29T09:00:00.000Z',
        degraded: bytes.length === 0,
      };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(record));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    // The server listens on a port.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return { url, release: (next: typeof program) => (current = next) };
  }

  function install(args: readonly string[], input = TOKEN) {
    return new Promise<{ code: number; text: string }>((resolve) => {
      const child = execFile(
        'sh',
        [join(out, 'install.sh'), ...args, '--root', root],
        { env: { PATH: `${stubs}:${process.env['PATH'] ?? ''}` } },
        (error, stdout, stderr) => resolve({ code: Number(error?.code ?? 0), text: stdout + stderr }),
      );
      // A script that refuses its arguments does not read its input.
      child.stdin?.on('error', () => undefined);
      child.stdin?.end(input);
    });
  }
  const program = (text: string) => Buffer.from(`#!/bin/sh\necho "${text}"\n`);
  const runs = async (): Promise<string> =>
    (
      await run(
        join(
          root,
          'opt/fairlead-agent',
          await readlink(join(root, 'opt/fairlead-agent/current')),
          'fairlead-agent',
        ),
      )
    ).stdout.trim();

  test('installs a service with a user of its own, and keeps the token out of everything but its file', async () => {
    const { url } = await serve({ version: '1.0.0', bytes: program('one') });
    const { code, text } = await install(['--url', url, '--token-file', '-', '--name', 'lab']);
    expect([code, text]).toEqual([0, expect.stringContaining('The agent 1.0.0 runs as fairlead-agent@lab.')]);
    expect(await runs()).toBe('one');
    const etc = join(root, 'etc/fairlead-agent');
    expect(await readFile(join(etc, 'lab.token'), 'utf8')).toBe(`${TOKEN}\n`);
    for (const file of ['lab.token', 'lab.yaml'])
      expect((await stat(join(etc, file))).mode & 0o777).toBe(0o600);
    const unit = join(root, 'etc/systemd/system/fairlead-agent@.service');
    const texts = [
      text,
      await readFile(join(etc, 'lab.yaml'), 'utf8'),
      await readFile(unit, 'utf8'),
      await readFile(log, 'utf8'),
    ];
    expect(texts.join('\n')).not.toContain(TOKEN);
    expect(texts[3]).toContain('useradd --system --user-group --no-create-home');
    expect(texts[3]).toContain(
      'systemctl daemon-reload\nsystemctl enable fairlead-agent@lab\nsystemctl restart fairlead-agent@lab\n',
    );
  });

  test('the executable accepts the configuration that it writes', async () => {
    const { url } = await serve({ version: '1.0.0', bytes: program('one') });
    expect((await install(['--url', url, '--token-file', '-'])).code).toBe(0);
    const etc = join(root, 'etc/fairlead-agent');
    const written = await readFile(join(etc, 'main.yaml'), 'utf8');
    await writeFile(join(etc, 'main.yaml'), written.replaceAll(/\/(etc|var)\//g, `${root}/$1/`));
    const platform = new TestPlatform();
    const address = await platform.listen();
    await run(executable(), ['--version']);
    const config = await readFile(join(etc, 'main.yaml'), 'utf8');
    startAgentProcess(address, { config: config.replace(url, address), command: [executable()] });
    await expect.poll(() => platform.hellos.length, { timeout: 90_000 }).toBe(1);
  });

  test('an update keeps the configuration and the version before, to which rollback goes back', async () => {
    const { url, release } = await serve({ version: '1.0.0', bytes: program('one') });
    await install(['--url', url, '--token-file', '-']);
    await appendFile(join(root, 'etc/fairlead-agent/main.yaml'), '# mine\n');
    expect((await install(['rollback'])).text).toContain('there is no version before');
    for (const [version, text] of [
      ['1.1.0', 'two'],
      ['1.2.0', 'three'],
    ] as const) {
      release({ version, bytes: program(text) });
      expect((await install(['--url', url, '--token-file', '-'], 'opa_another')).code).toBe(0);
    }
    expect(await runs()).toBe('three');
    expect(await readFile(join(root, 'etc/fairlead-agent/main.yaml'), 'utf8')).toContain('# mine');
    expect(await readFile(join(root, 'etc/fairlead-agent/main.token'), 'utf8')).toBe('opa_another\n');
    expect(await readdir(join(root, 'opt/fairlead-agent/versions'))).toHaveLength(2);
    await writeFile(log, '');
    expect((await install(['rollback'])).code).toBe(0);
    expect([await runs(), await readFile(log, 'utf8')]).toEqual([
      'two',
      'systemctl restart fairlead-agent@main\n',
    ]);
    expect((await install(['rollback'])).code).toBe(0);
    expect(await runs()).toBe('three');
  });

  test('changes nothing if the checksum is wrong, nothing was built, or the arguments are', async () => {
    const { url, release } = await serve({ version: '1.0.0', bytes: program('one'), sha256: 'a'.repeat(64) });
    const refused = async (args: readonly string[], input?: string): Promise<string> => {
      const { code, text } = await install(args, input);
      expect(code).toBe(1);
      return text;
    };
    const plain = ['--url', url, '--token-file', '-'];
    expect(await refused(plain)).toContain('checksum of the download is wrong');
    release({ version: '1.0.0', bytes: Buffer.alloc(0) });
    expect(await refused(plain)).toContain('no installer has been built');
    release({ version: '../../x', bytes: program('one') });
    expect(await refused(plain)).toContain('not valid');
    expect(await refused(plain, 'secret')).toContain('no token of an agent');
    for (const address of [
      'fairlead.example.com',
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '127.0.0.1@evil.example',
    ])
      expect(await refused(['--url', `http://${address}`, '--token-file', '-'])).toContain('--url has');
    expect(await refused([...plain, '--name', '../x'])).toContain('--name');
    expect(await refused([...plain, '--force'])).toContain('unknown argument');
    expect(await readdir(root, { recursive: true })).toEqual([
      'opt',
      'opt/fairlead-agent',
      'opt/fairlead-agent/versions',
    ]);
    expect(await readFile(log, 'utf8')).toBe('');
  });
});
