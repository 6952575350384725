import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { findInstance } from '../instance.ts';
import { parseUrl, sessionStore } from '../session/client-settings.ts';
import type { World } from '../world.ts';
import { fail, ok, warn } from './finding.ts';
import type { Finding } from './finding.ts';

/** Checks this machine: the file of sign-ins, and the development instance if `url` is one. */
export async function checkMachine(url: string, data: string, world: World): Promise<Finding[]> {
  return [...(await sessionFile(world)), ...(await instance(url, data))];
}

async function sessionFile(world: World): Promise<Finding[]> {
  const { path } = sessionStore(world);
  const others = await readableByOthers(path);
  // Windows has no such modes; the folder belongs to the user.
  if (others === undefined || world.platform === 'win32') return [];
  if (!others) return [ok('sign-ins', `${path}, readable by you only`)];
  return [fail('sign-ins', `${path} can be read by others`, `chmod 600 ${path}, then sign in again.`)];
}

async function instance(url: string, data: string): Promise<Finding[]> {
  const file = join(data, 'dev.json');
  const running = await findInstance(data);
  if (running === undefined || parseUrl(running.baseUrl) !== url) return [];
  if (!isAlive(running.pid)) {
    return [warn('instance', `${file} belongs to a process that has ended`, 'npm start writes it again.')];
  }
  if ((await readableByOthers(file)) === true) {
    return [fail('instance', `${file} holds keys and can be read by others`, `chmod 600 ${file}`)];
  }
  return [ok('instance', `npm start, process ${running.pid}, data in ${data}`)];
}

async function readableByOthers(path: string): Promise<boolean | undefined> {
  return await stat(path).then(
    ({ mode }) => (mode & 0o077) !== 0,
    () => undefined,
  );
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
