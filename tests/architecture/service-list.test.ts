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
  return SERVICE_NAMES.filter((called) => config.includes(`${addressVariable(called)}: addressesVariable`));
}

describe('the list of services', () => {
  it('names every service but the gateway', () => {
    const built = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'src/app.ts')));
    expect([...SERVICE_NAMES].toSorted()).toEqual(built.filter((name) => name !== 'gateway').toSorted());
  });

  it.each(SERVICES)('lists the services that $name calls', ({ name, calls }) => {
    expect(addressesRead(name)).toEqual(calls);
  });

  it.each(SERVICES)('puts $name after the services that it calls', ({ name, calls }) => {
    const before = SERVICE_NAMES.slice(0, SERVICE_NAMES.indexOf(name));
    expect(calls.filter((called) => !before.includes(called))).toEqual([]);
  });

  it.each(SERVICES)('$name has the command that contracts its database', ({ name }) => {
    expect(read(name, 'migrate.ts')).toContain(`service: '${name}'`);
  });

  it.each(SERVICES)('$name gives out and erases the data of an account', ({ name }) => {
    expect(read(name, 'app.ts')).toMatch(/\.service\(AccountDataService, createAccountDataService\(/);
  });
});
