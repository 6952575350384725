import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('sealing-process.ts', import.meta.url));

/** A process that rewraps and replaces the data keys of a database at this rate, with leases of a second. */
export function startSealingProcess(o: {
  readonly uri: string;
  readonly database: string;
  readonly sealingKeys: string;
  readonly perSecond: number;
}): { kill(): Promise<void> } {
  const child = spawn(process.execPath, [SCRIPT], {
    env: {
      ...process.env,
      MONGODB_URI: o.uri,
      MONGODB_DATABASE: o.database,
      SEALING_KEYS: o.sealingKeys,
      LEASE_MS: '1000',
      PER_SECOND: String(o.perSecond),
    },
    stdio: 'ignore',
  });
  return {
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}
