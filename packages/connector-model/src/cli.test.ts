import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readCatalogueFile } from './catalogue-file.ts';
import { LEFT_OUT } from './left-out.ts';
import { importedManifest } from './testing/imported.ts';
import { writtenManifest } from './testing/manifest.ts';

/** The connectors of this repository. */
const SHIPPED = [
  'discord',
  'dropbox',
  'fairlead',
  'graphql',
  'http',
  'http-webhook',
  'linear',
  'mcp',
  'mongodb',
  'mysql',
  'notion',
  'onprem-database',
  'onprem-files',
  'onprem-http',
  'postgresql',
  'rss',
  'sandbox-crm',
  'schedule',
  'slack',
  'smtp',
  'stripe',
];

const cli = fileURLToPath(new URL('./cli.ts', import.meta.url));
const connectors = fileURLToPath(new URL('../../../connectors/', import.meta.url));

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'connector-model-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

async function run(...args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await runIn(process.env, args);
  return { code, stderr };
}

/** Runs the command line without npm or pip on the PATH. */
function runOffline(...args: readonly string[]): ReturnType<typeof runIn> {
  return runIn({ PATH: '' }, args);
}

function runIn(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, ...args], { env }, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
    });
  });
}

describe('the command line', () => {
  it('writes a catalogue file that can be read back, and no other file', async () => {
    const out = join(directory, 'made', 'catalogue.json');
    expect(await run('--connectors', connectors, '--out', out)).toEqual({ code: 0, stderr: '' });
    const slugs = (await readCatalogueFile(out)).map(({ slug }) => slug);
    expect(slugs).toEqual(SHIPPED);
    expect(await readdir(join(directory, 'made'))).toEqual(['catalogue.json']);
  });

  it('compiles several folders into one catalogue', async () => {
    const out = join(directory, 'catalogue.json');
    const manifestOf = (slug: string): string =>
      [
        `slug: ${slug}`,
        'name: Extra',
        'description: One more.',
        'version: 1.0.0',
        'authenticationMethods:',
        '  - { authenticationId: 0, authenticationName: None, isDefault: true, scheme: { type: none } }',
        'tools: []',
      ].join('\n');
    for (const slug of ['one', 'two']) {
      await mkdir(join(directory, `of-${slug}`, slug), { recursive: true });
      await writeFile(join(directory, `of-${slug}`, slug, 'connector.yaml'), manifestOf(slug));
    }
    const both = ['--connectors', join(directory, 'of-one'), '--connectors', join(directory, 'of-two')];
    expect(await run(...both, '--out', out)).toEqual({ code: 0, stderr: '' });
    expect((await readCatalogueFile(out)).map(({ slug }) => slug)).toEqual(['one', 'two']);
  });

  it('compiles only what has changed since, with or without the descriptions that cannot be fetched', async () => {
    const out = join(directory, 'catalogue.json');
    const folder = join(directory, 'made');
    await mkdir(join(folder, 'acme'), { recursive: true });
    const manifest = join(folder, 'acme', 'connector.yaml');
    await writeFile(
      manifest,
      importedManifest({ source: undefined, operations: [], baseUrl: 'https://a.test' }),
    );
    const given = ['--connectors', folder, '--out', out];
    expect((await runOffline(...given)).stdout).toContain('1 connectors');
    expect((await runOffline(...given)).stdout).toBe(`${out} is up to date\n`);
    // With vendor descriptions, the catalogue could have more applications.
    expect((await runOffline(...given, '--sources', directory)).stdout).toContain('1 connectors');
    await writeFile(manifest, importedManifest());
    expect((await runOffline(...given, '--sources', directory)).stdout).toContain('0 connectors');
    const again = (await runOffline(...given, '--sources', directory)).stdout;
    expect(again).toContain(LEFT_OUT);
    expect(again).toContain(`${out} is up to date\n`);
    await writeFile(manifest, 'name: ""');
    expect((await runOffline(...given)).code).toBe(1);
  });

  it('compiles an application of a vendor that needs no description with the others only, and offline', async () => {
    await mkdir(join(directory, 'made', 'acme'), { recursive: true });
    await writeFile(join(directory, 'made', 'acme', 'connector.yaml'), writtenManifest());
    const given = ['--connectors', join(directory, 'made'), '--out', join(directory, 'catalogue.json')];
    expect((await runOffline(...given)).stdout).toContain('0 connectors');
    expect((await runOffline(...given, '--sources', directory)).stdout).toContain(
      '1 connectors with 5 tools',
    );
  });

  it('leaves out an application whose description cannot be fetched, and says so', async () => {
    await mkdir(join(directory, 'made', 'acme'), { recursive: true });
    await writeFile(join(directory, 'made', 'acme', 'connector.yaml'), importedManifest());
    const out = join(directory, 'catalogue.json');
    const given = ['--connectors', join(directory, 'made'), '--sources', join(directory, 'cache')];
    const { code, stdout } = await runOffline(...given, '--out', out);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`${LEFT_OUT}acme.`)]);
    expect(stdout).toContain('acme-api 1.0.0: python3 could not fetch it: it is not installed');
    expect(await readCatalogueFile(out)).toEqual([]);
    expect((await runOffline(...given.slice(0, 2), '--out', out)).stdout).toContain('0 connectors');
  });

  it('lists the problems of all manifests, and keeps the old catalogue', async () => {
    const out = join(directory, 'catalogue.json');
    await writeFile(out, 'old');
    for (const slug of ['one', 'two']) {
      await mkdir(join(directory, slug));
      await writeFile(join(directory, slug, 'connector.yaml'), 'name: ""\n');
    }
    const { code, stderr } = await run('--connectors', directory, '--out', out);
    expect(code).toBe(1);
    expect(stderr).toContain('one/connector.yaml:1: name:');
    expect(stderr).toContain('two/connector.yaml:1: slug:');
    await expect(readCatalogueFile(out)).rejects.toThrow(out);
  });

  it.each([[[]], [['--connectors', 'x']], [['--nonsense']]])(
    'explains itself when called with %j',
    async (args) => {
      const { code, stderr } = await run(...args);
      expect(code).toBe(2);
      expect(stderr).toContain('Usage');
    },
  );
});

describe('readCatalogueFile', () => {
  it('refuses a file of another format version', async () => {
    const file = join(directory, 'catalogue.json');
    await writeFile(file, '{"formatVersion":1,"connectors":[]}');
    await expect(readCatalogueFile(file)).rejects.toThrow(/cannot be read.*formatVersion/s);
  });
});
