import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { readJson } from './json-file.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** A command for which several services have a script. */
export interface ServiceCommand {
  readonly usage: string;
  /** Name of the script in each service's `src`. */
  readonly script: string;
  readonly services: readonly string[];
  /** Permitted arguments. */
  readonly actions: readonly string[];
}

/**
 * Runs the command of one service or of all, one after the other, and sets the exit code of this process. Options:
 * `--service`, `--data` (folder of a running instance, which names the database server unless MONGODB_URI does), `--yes`.
 */
export async function runServiceCommand(command: ServiceCommand): Promise<void> {
  try {
    process.exitCode = await run(command);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

async function run({ usage, script, services, actions }: ServiceCommand): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      service: { type: 'string' },
      data: { type: 'string', default: join(ROOT, '.fairlead') },
      yes: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const action = positionals.join(' ');
  if (!actions.includes(action)) throw new Error(usage);
  if (values.service !== undefined && !services.includes(values.service))
    throw new Error(`unknown service ${values.service}; the services are ${services.join(', ')}`);
  const environment = { ...process.env, MONGODB_URI: await findMongodb(resolve(values.data)) };
  const args = [action, ...(values.yes ? ['--yes'] : [])];
  let code = 0;
  for (const name of values.service === undefined ? services : [values.service]) {
    const path = join(ROOT, 'services', name, 'src', script);
    const child = spawn(process.execPath, [path, ...args], { env: environment, stdio: 'inherit' });
    // A process ended by a signal has no exit code.
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    code = Math.max(code, exitCode ?? 1);
  }
  return code;
}

async function findMongodb(data: string): Promise<string> {
  const address = process.env['MONGODB_URI'];
  if (address !== undefined && address !== '') return address;
  const dev = z.object({ mongodbUri: z.string() }).safeParse(await readJson(join(data, 'dev.json')));
  if (dev.success) return dev.data.mongodbUri;
  throw new Error(`no instance runs on ${data}, so MONGODB_URI must name the database server`);
}
