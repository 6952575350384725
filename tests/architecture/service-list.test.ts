import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICES, SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../services', import.meta.url));
const read = (name: string, file: string): string => readFileSync(join(folder, name, 'src', file), 'utf8');

/** The services whose addresses a service reads from its environment. */
function addressesRead(name: string): string[] {
  const config = read(name, 'config.ts');
  return SERVICE_NAMES.filter((asked) => config.includes(`${addressVariable(asked)}: addressesVariable`));
}

describe('the list of services', () => {
  it('names every service but the gateway', () => {
    const built = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'src/app.ts')));
    expect([...SERVICE_NAMES].toSorted()).toEqual(built.filter((name) => name !== 'gateway').toSorted());
  });

  it.each(SERVICES)('says whom $name asks', ({ name, asks }) => {
    expect(addressesRead(name)).toEqual(asks);
  });

  it.each(SERVICES)('puts $name after the services that it asks', ({ name, asks }) => {
    const before = SERVICE_NAMES.slice(0, SERVICE_NAMES.indexOf(name));
    expect(asks.filter((asked) => !before.includes(asked))).toEqual([]);
  });

  it.each(SERVICES)('$name has the command that contracts its database', ({ name }) => {
    expect(read(name, 'migrate.ts')).toContain(`service: '${name}'`);
  });

  it.each(SERVICES)('$name gives out and erases the data of an account', ({ name }) => {
    expect(read(name, 'app.ts')).toMatch(/\.service\(AccountDataService, createAccountDataService\(/);
  });
});
