import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** Programs of the image besides the services. */
const OTHERS: Readonly<Record<string, string>> = {
  agent: 'packages/agent/src/cli.ts',
  'sandbox-crm': 'samples/sandbox-crm/src/main.ts',
};

/** Script of the command line. */
export const COMMAND_LINE = join(ROOT, 'packages/cli/src/cli.ts');

/** Script that starts the program `name`. Throws an error that names SERVICE and lists the programs. */
export function programOf(name: string | undefined): string {
  const other = name === undefined ? undefined : OTHERS[name];
  return other === undefined ? scriptOf(name, 'main.ts') : join(ROOT, other);
}

/** Path of a script of the service `name`, whether or not it exists. Throws an error that names SERVICE. */
export function scriptOf(name: string | undefined, script: string): string {
  const services = readdirSync(join(ROOT, 'services')).toSorted();
  if (name === undefined || name === '')
    throw new Error(`SERVICE: required, but not set; ${oneOf([...services, ...Object.keys(OTHERS)])}`);
  if (!services.includes(name))
    throw new Error(`SERVICE: ${name} is unknown; ${oneOf([...services, ...Object.keys(OTHERS)])}`);
  const folder = join(ROOT, 'services', name, 'src');
  if (!readdirSync(folder).includes(script)) throw new Error(`SERVICE: ${name} has no ${script}`);
  return join(folder, script);
}

function oneOf(names: readonly string[]): string {
  return `expected one of ${names.join(', ')}`;
}
