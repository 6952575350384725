import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { run, until } from './kubernetes.ts';

/** A Go module whose source contains definitions of kinds, and the files. */
export interface Definitions {
  readonly module: string;
  readonly files: readonly string[];
}

/** Routes of the Gateway API. */
export const GATEWAY_API: Definitions = {
  module: 'sigs.k8s.io/gateway-api@v1.4.0',
  files: ['httproutes', 'grpcroutes'].map(
    (name) => `config/crd/standard/gateway.networking.k8s.io_${name}.yaml`,
  ),
};

/** Kinds of Argo Rollouts that its controller watches. */
export const ARGO_ROLLOUTS: Definitions = {
  module: 'github.com/argoproj/argo-rollouts@v1.8.3',
  files: ['rollout', 'analysis-run', 'analysis-template', 'cluster-analysis-template', 'experiment'].map(
    (name) => `manifests/crds/${name}-crd.yaml`,
  ),
};

/** Kinds of Flagger that its controller watches. */
export const FLAGGER: Definitions = {
  module: 'github.com/fluxcd/flagger@v1.43.0',
  files: ['artifacts/flagger/crd.yaml'],
};

const ESTABLISHED_MS = 300_000;

const download = z.object({ Dir: z.string() });
const definition = z.object({ metadata: z.object({ name: z.string() }) });

/** Runs `act` with these definitions in the cluster. Missing definitions are installed during `act` only. */
export async function withDefinitions<T>(
  definitions: readonly Definitions[],
  act: () => Promise<T>,
): Promise<T> {
  const created: string[] = [];
  try {
    await createDefinitions(definitions, created);
    return await act();
  } finally {
    if (created.length > 0) await run('kubectl', ['delete', ...created, '--timeout=60s']);
  }
}

/** Creates the definitions that the cluster lacks, and adds their names to `created`. */
async function createDefinitions(definitions: readonly Definitions[], created: string[]): Promise<void> {
  for (const { module, files } of definitions) {
    const { Dir: folder } = download.parse(JSON.parse(await run('go', ['mod', 'download', '-json', module])));
    for (const file of files) {
      const texts = (await readFile(join(folder, file), 'utf8')).split(/^---$/m);
      for (const text of texts) {
        const found = definition.safeParse(parseDocument(text).toJS());
        if (!found.success) continue;
        const resource = `customresourcedefinition/${found.data.metadata.name}`;
        const isThere = await run('kubectl', ['get', resource, '--ignore-not-found', '-o', 'name']);
        if (isThere === '') {
          await run('kubectl', ['create', '-f', '-'], { input: text });
          created.push(resource);
        }
        // kubectl wait fails at once for a definition without conditions.
        const wait = ['wait', '--for=condition=Established', resource, '--timeout=10s'];
        await until(`${resource} is established`, ESTABLISHED_MS, () =>
          run('kubectl', wait).then(
            () => true,
            () => false,
          ),
        );
      }
    }
  }
}
