import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, copyFile, mkdir, mkdtemp, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { bundleAgent } from './bundle.ts';
import { prepareProgram, writeExecutable } from './executable.ts';
import { nodeBinary, PLATFORMS } from './node-binary.ts';
import type { Platform } from './node-binary.ts';
import { run } from './run.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const USAGE = `Usage: npm run agent:release -- [--out <dir>] [--platform <${PLATFORMS.join('|')}>]…

Builds the on-prem agent: executables, an npm package, install.sh, SHA256SUMS and the manifest that the agents service reads. SOURCE_DATE_EPOCH is
the time of the release. Default: dist/agent, every platform.
`;

interface Executable {
  readonly file: string;
  readonly sha256: string;
  readonly sizeBytes: number;
}

async function main(argv: readonly string[]): Promise<number> {
  const o = readArguments(argv);
  if (o === undefined) {
    process.stderr.write(USAGE);
    return 2;
  }
  const staging = await mkdtemp(join(tmpdir(), 'fairlead-agent-release-'));
  try {
    const files = await build(staging, o.platforms);
    await mkdir(o.out, { recursive: true });
    // The manifest is written last, so that its readers find all files.
    for (const file of files) await move(join(staging, file), join(o.out, file));
    process.stdout.write(`${files.map((file) => join(o.out, file)).join('\n')}\n`);
    return 0;
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

async function build(staging: string, platforms: readonly Platform[]): Promise<readonly string[]> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const bundle = join(staging, 'fairlead-agent.cjs');
  await bundleAgent(bundle);
  const program = await prepareProgram(bundle, staging);
  const installers: Partial<Record<Platform, Executable>> = {};
  for (const platform of platforms) {
    const file = `fairlead-agent-${version}-${platform}`;
    const folder = join(staging, platform);
    await mkdir(folder);
    await writeExecutable(await nodeBinary(platform, folder), program, join(staging, file));
    installers[platform] = await describeFile(staging, file);
  }
  const others = [await packForNpm(staging, { bundle, version }), 'install.sh'];
  await copyFile(fileURLToPath(new URL('../install.sh', import.meta.url)), join(staging, 'install.sh'));
  await chmod(join(staging, 'install.sh'), 0o755);
  const built = Object.values(installers);
  const all = [...built, ...(await Promise.all(others.map((file) => describeFile(staging, file))))];
  await writeFile(
    join(staging, 'SHA256SUMS'),
    all.map(({ file, sha256 }) => `${sha256}  ${file}\n`).join(''),
  );
  const { SOURCE_DATE_EPOCH: epoch } = process.env;
  const releasedAt = (epoch === undefined ? new Date() : new Date(Number(epoch) * 1000)).toISOString();
  await writeFile(
    join(staging, 'manifest.json'),
    `${JSON.stringify({ version, releasedAt, installers }, null, 2)}\n`,
  );
  return [...all.map(({ file }) => file), 'SHA256SUMS', 'manifest.json'];
}

async function packForNpm(
  staging: string,
  { bundle, version }: { readonly bundle: string; readonly version: string },
): Promise<string> {
  const folder = join(staging, 'npm');
  await mkdir(folder);
  await copyFile(bundle, join(folder, 'fairlead-agent.cjs'));
  await copyFile(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  await copyFile(join(ROOT, 'packages', 'agent', 'README.md'), join(folder, 'README.md'));
  const manifest = {
    name: '@fairlead/agent',
    version,
    description: 'The on-prem agent of Fairlead: runs tools inside your network.',
    license: 'Apache-2.0',
    bin: { 'fairlead-agent': 'fairlead-agent.cjs' },
    files: ['fairlead-agent.cjs'],
    engines: { node: '>=24' },
  };
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await run('npm', ['pack', folder, '--pack-destination', staging], staging);
  return `fairlead-agent-${version}.tgz`;
}

async function describeFile(folder: string, file: string): Promise<Executable> {
  const digest = createHash('sha256');
  await pipeline(createReadStream(join(folder, file)), digest);
  const { size } = await stat(join(folder, file));
  return { file, sha256: digest.digest('hex'), sizeBytes: size };
}

/** Moved within the target's file system, so that a file there is always complete. */
async function move(from: string, to: string): Promise<void> {
  const staged = `${to}.new`;
  await copyFile(from, staged);
  await rename(staged, to);
}

function readArguments(
  argv: readonly string[],
): { readonly out: string; readonly platforms: readonly Platform[] } | undefined {
  try {
    const { values } = parseArgs({
      args: [...argv],
      options: {
        out: { type: 'string', default: join(ROOT, 'dist', 'agent') },
        platform: { type: 'string', multiple: true },
      },
    });
    const platforms = PLATFORMS.filter((name) => values.platform?.includes(name) ?? true);
    const isKnown = values.platform === undefined || platforms.length === new Set(values.platform).size;
    return isKnown ? { out: resolve(values.out), platforms } : undefined;
  } catch {
    return undefined;
  }
}

process.exitCode = await main(process.argv.slice(2));
