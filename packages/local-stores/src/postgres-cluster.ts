import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from './local-process.ts';
import { runCommand } from './run-command.ts';
import type { CommandOptions } from './run-command.ts';
import type { SystemUser } from './unprivileged-user.ts';

/** The login to the cluster's only database. */
export interface ClusterLogin {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** An initialised PostgreSQL data directory. */
export interface Cluster {
  readonly directory: string;
  readonly login: ClusterLogin;
  readonly environment: Readonly<Record<string, string>>;
}

/** The folder of a cluster, the user that runs it, and the initial SQL of its database. */
export interface OpenClusterOptions {
  /** Folder that contains `bin`. */
  readonly binaries: string;
  readonly home: string;
  readonly user: SystemUser | undefined;
  readonly initialSql: string;
  readonly signal: AbortSignal | undefined;
}

const USER = 'sample';
const DATABASE = 'sample';

/** The database requires a password; the superuser has none, so it cannot log in. */
const HOST_ACCESS = 'host all all 127.0.0.1/32 scram-sha-256\n';

/**
 * Opens the data directory below `home`; creates it with its user, database and first rows if it is missing. The login is written last, so
 * a directory whose creation was interrupted has none and is created again.
 */
export async function openCluster(o: OpenClusterOptions): Promise<Cluster> {
  const directory = join(o.home, 'cluster');
  const environment = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' };
  const loginFile = join(o.home, 'login.json');
  const kept = await readLogin(loginFile);
  if (kept !== undefined) {
    await removeStaleLock(directory);
    return { directory, environment, login: kept };
  }
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o700 });
  if (o.user !== undefined) await chown(directory, o.user.uid, o.user.gid);
  const login = { user: USER, password: randomBytes(18).toString('base64url'), database: DATABASE };
  await initialise(o, { directory, environment, login });
  await writeFile(loginFile, JSON.stringify(login), { mode: 0o600 });
  return { directory, environment, login };
}

async function initialise(o: OpenClusterOptions, cluster: Cluster): Promise<void> {
  const { directory, environment, login } = cluster;
  const options: CommandOptions = {
    env: environment,
    cwd: directory,
    signal: o.signal,
    ...(o.user === undefined ? {} : { user: { uid: o.user.uid, gid: o.user.gid } }),
  };
  const run = async (program: string, args: readonly string[], input = ''): Promise<void> => {
    const result = await runCommand(join(o.binaries, 'bin', program), args, { ...options, input });
    if (result.code !== 0) {
      throw new Error(`${program} failed: ${result.stderr.trim().split('\n').at(-1) ?? 'no output'}`);
    }
  };
  await run('initdb', [
    '-D',
    directory,
    '-U',
    'postgres',
    '-E',
    'UTF8',
    '--locale=C',
    '--auth=trust',
    '--no-sync',
  ]);
  await writeFile(join(directory, 'pg_hba.conf'), HOST_ACCESS);
  // Single-user mode needs no running server and no client. Each statement ends with ";" and a blank line.
  const single = (database: string): readonly string[] => [
    '--single',
    '-j',
    '-D',
    directory,
    '-c',
    'exit_on_error=on',
    database,
  ];
  await run(
    'postgres',
    single('postgres'),
    [
      `CREATE ROLE ${login.user} LOGIN PASSWORD '${login.password}'`,
      `CREATE DATABASE ${login.database} OWNER ${login.user}`,
      '',
    ].join(';\n\n'),
  );
  if (o.initialSql !== '') {
    await run(
      'postgres',
      single(login.database),
      `SET SESSION AUTHORIZATION ${login.user};\n\n${o.initialSql}`,
    );
  }
}

async function readLogin(file: string): Promise<ClusterLogin | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as ClusterLogin; // written by openCluster alone
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/**
 * Removes the lock of a killed server whose process id now belongs to another program. PostgreSQL takes any living process with that id for
 * the former server, and a container soon reuses ids.
 */
async function removeStaleLock(directory: string): Promise<void> {
  const lock = join(directory, 'postmaster.pid');
  const pid = (await readFile(lock, 'utf8').catch(() => '')).split('\n')[0] ?? '';
  if (pid === '') return;
  const holder = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => undefined);
  if (holder !== undefined && holder.trim() !== 'postgres') await rm(lock);
}
