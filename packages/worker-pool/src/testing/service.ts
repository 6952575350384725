// A process with a pool, for tests that kill it. Sends its worker's process id; the worker then runs the job that the
// argument names.
import { createLogger } from '@fairlead/service-kit/telemetry/logger';
import { createWorkerPool } from '../worker-pool.ts';

const pool = createWorkerPool({
  name: 'tests',
  entry: new URL('worker.ts', import.meta.url),
  settings: null,
  log: createLogger({ service: 'test', level: 'silent' }),
  limits: { unresponsiveMs: 60_000 },
});
const options = { signal: new AbortController().signal, timeoutMs: 60_000 };
process.send?.(await pool.run('a', { name: 'pid' }, options));
await pool.run('a', { name: process.argv[2] }, options);
