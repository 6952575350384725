import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { z } from 'zod';
import { readJson } from './json-file.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const PROGRAMS: readonly string[] = [...SERVICE_NAMES, 'gateway'];
const USAGE = `usage: npm run migrate -- contract [--service <name>] [--data <folder>] [--yes]
  Prints what this release removes from each database; --yes removes it. See docs/operations.md.
  MONGODB_URI names the database server; without it, the running instance on the data folder does (default .fairlead).`;

/** Runs the `migrate` command of one service or of all, one after the other. Returns the exit code. */
async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    options: {
      service: { type: 'string' },
      data: { type: 'string', default: join(ROOT, '.fairlead') },
      yes: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  if (positionals.join() !== 'contract') throw new Error(USAGE);
  if (values.service !== undefined && !PROGRAMS.includes(values.service))
    throw new Error(`unknown service ${values.service}; the services are ${PROGRAMS.join(', ')}`);
  const environment = { ...process.env, MONGODB_URI: await findMongodb(resolve(values.data)) };
  const args = ['contract', ...(values.yes ? ['--yes'] : [])];
  let code = 0;
  for (const name of values.service === undefined ? PROGRAMS : [values.service]) {
    const script = join(ROOT, 'services', name, 'src', 'migrate.ts');
    const child = spawn(process.execPath, [script, ...args], { env: environment, stdio: 'inherit' });
    // An exit by a signal has no code.
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    code = Math.max(code, exitCode ?? 1);
  }
  return code;
}

async function findMongodb(data: string): Promise<string> {
  const given = process.env['MONGODB_URI'];
  if (given !== undefined && given !== '') return given;
  const dev = z.object({ mongodbUri: z.string() }).safeParse(await readJson(join(data, 'dev.json')));
  if (dev.success) return dev.data.mongodbUri;
  throw new Error(`no instance runs on ${data}, so MONGODB_URI must name the database server`);
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
