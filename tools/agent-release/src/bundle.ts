import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const ENTRY = fileURLToPath(new URL('entry.ts', import.meta.url));
const HANDLERS = fileURLToPath(new URL('../../../connectors/handlers.ts', import.meta.url));
const WORKER_ENTRY = "new URL('worker.ts', import.meta.url)";

/** Bundles the agent with all its imports into one file. A single executable of Node 24 accepts CommonJS only. */
export async function bundleAgent(file: string): Promise<void> {
  const bundle = await rolldown({
    input: ENTRY,
    platform: 'node',
    logLevel: 'warn',
    plugins: [
      {
        name: 'worker-entry',
        // The bundle is also the entry of workers.
        transform(code, id) {
          if (id !== HANDLERS) return null;
          if (!code.includes(WORKER_ENTRY)) throw new Error(`${HANDLERS} has no ${WORKER_ENTRY}`);
          return code.replace(WORKER_ENTRY, 'new URL(import.meta.url)');
        },
      },
    ],
  });
  await bundle.write({ format: 'cjs', file, codeSplitting: false, banner: '#!/usr/bin/env node' });
}
