import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { ACCOUNT_DATA_SERVICES } from './account-domains.ts';

const folder = fileURLToPath(new URL('../../..', import.meta.url));

/** The composition root of each service with a database, the gateway's own left out. */
const roots = readdirSync(folder)
  .filter((name) => name !== 'gateway' && existsSync(join(folder, name, 'src/app.ts')))
  .map((name) => ({ name, source: readFileSync(join(folder, name, 'src/app.ts'), 'utf8') }))
  .filter(({ source }) => source.includes('connectMongo('));

describe('every service with a database', () => {
  test('is asked when an account is erased or its data is given out', () => {
    expect(roots.map(({ name }) => name).toSorted()).toEqual([...ACCOUNT_DATA_SERVICES].toSorted());
  });

  test.each(roots)('$name serves AccountDataService', ({ source }) => {
    expect(source).toMatch(/\.service\(AccountDataService, createAccountDataService\(/);
  });
});
