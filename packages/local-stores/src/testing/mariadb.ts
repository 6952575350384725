import { randomBytes } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProcess } from '../local-process.ts';
import { findMariadb } from '../mariadb-binary.ts';
import type { MariadbBinary } from '../mariadb-binary.ts';
import { freePort, waitForPort } from '../ports.ts';
import { runCommand } from '../run-command.ts';

const START_TIMEOUT_MS = 60_000;

/** A MariaDB server for tests, and the login of a user who owns one database. */
export interface TestMariadb {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  stop(): Promise<void>;
}

/** Starts MariaDB on 127.0.0.1 with an empty database, in an empty `directory`. `sql` runs first, as its administrator, one statement a line. */
export async function startTestMariadb(o: {
  readonly directory: string;
  readonly sql?: readonly string[];
}): Promise<TestMariadb> {
  const binary = await findMariadb();
  const data = join(o.directory, 'data');
  await mkdir(data);
  const login = { user: 'sample', password: randomBytes(18).toString('base64url'), database: 'sample' };
  await initialise(binary, data, [
    `CREATE DATABASE ${login.database};`,
    `CREATE USER ${login.user}@'127.0.0.1' IDENTIFIED BY '${login.password}';`,
    `GRANT ALL ON ${login.database}.* TO ${login.user}@'127.0.0.1';`,
    ...(o.sql ?? []),
  ]);
  const port = await freePort();
  const logFile = join(o.directory, 'mariadb.log');
  const server = await startProcess({
    command: binary.path,
    args: [
      ...commonArguments(binary, data),
      '--bind-address=127.0.0.1',
      `--port=${String(port)}`,
      '--socket=',
      '--innodb-buffer-pool-size=16M',
    ],
    env: { ...binary.environment, LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
    logFile,
  });
  const ended = new AbortController();
  void server.exited.then(() => ended.abort());
  try {
    await waitForPort(port, AbortSignal.any([AbortSignal.timeout(START_TIMEOUT_MS), ended.signal]));
  } catch (error) {
    await server.stop();
    const log = (await readFile(logFile, 'utf8')).trim().split('\n').slice(-3).join('\n');
    throw new Error(`MariaDB did not start: ${log}`, { cause: error });
  }
  return { ...login, host: '127.0.0.1', port, stop: async () => void (await server.stop()) };
}

/** Makes the system tables in one run that takes SQL instead of connections. */
async function initialise(binary: MariadbBinary, data: string, sql: readonly string[]): Promise<void> {
  const tables = await Promise.all(
    ['mysql_system_tables.sql', 'mysql_system_tables_data.sql'].map((name) =>
      readFile(join(binary.share, name), 'utf8'),
    ),
  );
  const input = [
    'CREATE DATABASE mysql;',
    'USE mysql;',
    'SET @auth_root_socket=NULL;',
    ...tables,
    'FLUSH PRIVILEGES;',
    ...sql,
    '',
  ].join('\n');
  const { code, stderr } = await runCommand(binary.path, [...commonArguments(binary, data), '--bootstrap'], {
    env: { ...binary.environment, LC_ALL: 'C' },
    input,
  });
  if (code !== 0) throw new Error(`MariaDB did not initialise: ${stderr.slice(-500)}`);
}

function commonArguments(binary: MariadbBinary, data: string): readonly string[] {
  return [
    '--no-defaults',
    // MariaDB refuses to run as root unless it is told to. This server is for one test, on loopback.
    ...(process.getuid?.() === 0 ? ['--user=root'] : []),
    `--datadir=${data}`,
    `--lc-messages-dir=${binary.share}`,
    `--character-sets-dir=${join(binary.share, 'charsets')}`,
    '--innodb-log-file-size=4M',
    '--skip-log-bin',
  ];
}
