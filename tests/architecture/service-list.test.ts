import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SERVICES, SERVICE_NAMES, addressVariable } from '@fairlead/service-list/services';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../services', import.meta.url));
const read = (name: string, file: string): string => readFileSync(join(folder, name, 'src', file), 'utf8');

/** The services whose addresses are in a service's environment. */
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

const pageOf = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

describe('the picture of README.md', () => {
  const [, section = ''] = pageOf('README.md').split('\n## Architecture\n');
  const [, picture = ''] = section.split('```');
  const lines = picture.split('\n');
  const lineOf = (text: string): number => lines.findIndex((line) => line.includes(text));

  it('draws each service and no other box', () => {
    const boxes = [...picture.matchAll(/[│┤] +([a-z]+) +(?=[│├])/g)].map(([, name = '']) => name);
    expect(boxes.toSorted()).toEqual(['gateway', ...SERVICE_NAMES].toSorted());
  });

  it('draws the way of an event from triggers up to delivery and to receivers', () => {
    const way = [' triggers ', '│ events (NATS)', ' delivery ', '▲ signed events', 'your receivers'];
    expect(way.map(lineOf)).toEqual(way.map(lineOf).toSorted((a, b) => b - a));
    const column = lines[lineOf('│ events (NATS)')]?.indexOf('│ events') ?? -1;
    // From the top of the lower box to the bottom of the upper one, and from its top to the receivers.
    const arrow = lines.slice(lineOf('▲ signed events'), lineOf(' triggers ')).map((line) => line[column]);
    expect(arrow).toEqual(['▲', '┴', expect.any(String), '▲', '│', '┼', '┴']);
  });
});

describe('docs/architecture.md', () => {
  const page = pageOf('docs/architecture.md');
  /** The services to which the picture has an arrow from this one, except labelled arrows of other protocols. */
  const drawn = (name: string, arrow: string): string[] =>
    (new RegExp(`^ +${name} ${arrow} (.+)$`, 'm').exec(page)?.[1] ?? '').split(' & ').filter(Boolean);

  it('draws the gateway’s calls of every service', () => {
    expect(drawn('gateway', '-- "RPC" -->').toSorted()).toEqual([...SERVICE_NAMES].toSorted());
  });

  it.each(SERVICES)('draws the services that $name calls', ({ name, calls }) => {
    // Tools also calls the gateway, which is not in the list of services.
    expect(drawn(name, '-->').filter((called) => called !== 'gateway')).toEqual(calls);
  });

  it('says what each service owns', () => {
    const rows = [...page.matchAll(/^\| (\w+) +\|/gm)].map(([, name = '']) => name);
    expect(rows).toEqual(expect.arrayContaining(['gateway', ...SERVICE_NAMES]));
  });

  it.each(['packages', 'samples', 'tools'])('lists every folder of %s', (parent) => {
    const folders = readdirSync(fileURLToPath(new URL(`../../${parent}`, import.meta.url)));
    expect(folders.filter((name) => !page.includes(`\`${parent}/${name}\``))).toEqual([]);
  });
});

it('the restore of docs/production.md prepares the database of each service', () => {
  const [, names = ''] = /for service in ([a-z ]+); do/.exec(pageOf('docs/production.md')) ?? [];
  expect(names.split(' ').toSorted()).toEqual(['gateway', ...SERVICE_NAMES].toSorted());
});
