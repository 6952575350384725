import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { CHART } from '../chart/chart-folder.ts';
import { installHelm } from './helm-releases.ts';
import type { HelmVersion } from './helm-releases.ts';

const run = promisify(execFile);

/** A rendered object, with the members that all tests need. */
const kubernetesObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    labels: z.record(z.string(), z.string()).default({}),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
});

/** A rendered object. */
export type KubernetesObject = z.infer<typeof kubernetesObject>;

/** Values as in a values file. */
export type Values = Readonly<Record<string, unknown>>;

/** Values for a run of Helm: a file, or the values themselves. Later ones override earlier ones. */
export type ValuesSource = string | Values;

/** A failed run of Helm. */
export class HelmFailure extends Error {
  override readonly name = 'HelmFailure';
}

/** Runs `helm <command> [release] <chart>` with these values, and resolves to its output. Rejects with a HelmFailure. */
export async function runHelm(
  version: HelmVersion,
  command: readonly string[],
  values: readonly ValuesSource[],
): Promise<string> {
  const { helm } = (await installHelm())[version];
  const folder = await mkdtemp(join(tmpdir(), 'fairlead-helm-'));
  const files = await Promise.all(
    values.map(async (source, index) => {
      if (typeof source === 'string') return source;
      const file = join(folder, `${String(index)}.json`);
      await writeFile(file, JSON.stringify(source));
      return file;
    }),
  );
  const args = [...command, CHART, ...files.flatMap((file) => ['--values', file])];
  try {
    const env = {
      PATH: process.env['PATH'],
      // No cluster: rendering must not depend on one.
      HOME: folder,
      KUBECONFIG: join(folder, 'none'),
      // A run is so short that most garbage collection would be wasted.
      GOGC: '400',
    };
    const { stdout } = await run(helm, args, { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  } catch (error) {
    const isOutput = error instanceof Error && 'stderr' in error && 'stdout' in error;
    throw new HelmFailure(isOutput ? `${String(error.stdout)}${String(error.stderr)}` : String(error));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The text that `helm template` prints for a release `test` in the namespace `apps`. */
export async function template(version: HelmVersion, ...values: readonly ValuesSource[]): Promise<string> {
  return runHelm(version, ['template', 'test', '--namespace', 'apps'], values);
}

const rendered = new Map<string, Promise<readonly KubernetesObject[]>>();

/** The objects of that release, rendered by Helm 4.1; cached by values. */
export async function render(...values: readonly ValuesSource[]): Promise<readonly KubernetesObject[]> {
  const key = JSON.stringify(values);
  const objects = rendered.get(key) ?? template('4.1', ...values).then(objectsOf);
  rendered.set(key, objects);
  return objects;
}

/** The objects in the output of `helm template`. */
export function objectsOf(text: string): readonly KubernetesObject[] {
  return parseAllDocuments(text)
    .filter((document) => document.contents !== null)
    .map((document) => kubernetesObject.parse(document.toJS()));
}
