import { chmod, chown, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { startPostgres } from './postgres.ts';
import type { RunningPostgres, StartPostgresOptions } from './postgres.ts';
import { temporaryFolder } from './testing/temporary-folder.ts';

const SQL = `CREATE TABLE ports (
  name text NOT NULL
);

INSERT INTO ports VALUES ('Rotterdam'), ('Antwerp');

`;

async function start(o: StartPostgresOptions): Promise<RunningPostgres> {
  const server = await startPostgres(o);
  onTestFinished(() => server.stop());
  return server;
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows;
  } finally {
    await client.end();
  }
}

test('it begins with the given rows, owned by the user of its address', async () => {
  const server = await start({ dataDirectory: await temporaryFolder(), initialSql: SQL });
  const rows = await query(server.url, 'SELECT name, current_user AS "user" FROM ports ORDER BY name');
  expect(rows).toEqual([
    { name: 'Antwerp', user: 'sample' },
    { name: 'Rotterdam', user: 'sample' },
  ]);
});

test('only its own password opens it', async () => {
  const server = await start({ dataDirectory: await temporaryFolder() });
  const wrong = server.url.replace(server.password, 'wrong');
  await expect(query(wrong, 'SELECT 1')).rejects.toThrow('password authentication failed');
  const superuser = server.url.replace(`${server.user}:${server.password}`, 'postgres:');
  await expect(query(superuser, 'SELECT 1')).rejects.toThrow(/password/);
});

test.runIf(process.platform === 'linux')('it never runs as root', async () => {
  const server = await start({ dataDirectory: await temporaryFolder() });
  const status = await readFile(`/proc/${String(server.pid)}/status`, 'utf8');
  expect(Number(/^Uid:\t(\d+)/m.exec(status)?.[1])).toBeGreaterThan(0);
});

test('its data and its password outlive a stop and a kill', async () => {
  const dataDirectory = await temporaryFolder();
  const first = await start({ dataDirectory, initialSql: SQL });
  await query(first.url, "INSERT INTO ports VALUES ('Bergen')");
  await first.stop();
  const second = await start({ dataDirectory, port: first.port, initialSql: SQL });
  expect(second.url).toBe(first.url);
  process.kill(second.pid, 'SIGKILL');
  await second.exited;
  const third = await start({ dataDirectory });
  expect(await query(third.url, 'SELECT count(*)::int AS count FROM ports')).toEqual([{ count: 3 }]);
});

test('a lock left by a killed server does not stop it when its id is another program’s now', async () => {
  const dataDirectory = await temporaryFolder();
  await (await start({ dataDirectory })).stop();
  const lock = join(dataDirectory, 'cluster', 'postmaster.pid');
  await writeFile(lock, `${String(process.pid)}\n${join(dataDirectory, 'cluster')}\n0\n5432\n\n127.0.0.1\n`);
  const { uid, gid } = await stat(join(dataDirectory, 'cluster'));
  await chown(lock, uid, gid);
  const server = await start({ dataDirectory });
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test('an initialisation cut short is begun anew', async () => {
  const dataDirectory = await temporaryFolder();
  await mkdir(join(dataDirectory, 'cluster'));
  await writeFile(join(dataDirectory, 'cluster', 'PG_VERSION'), '18\n');
  const server = await start({ dataDirectory });
  expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

test.runIf(process.getuid?.() === 0)(
  'below a folder that is root’s alone it finds another place, and says so',
  async () => {
    const closed = await temporaryFolder();
    await chmod(closed, 0o700);
    const lines: string[] = [];
    const server = await start({ dataDirectory: join(closed, 'postgres'), log: (line) => lines.push(line) });
    onTestFinished(async () => {
      await server.stop();
      await rm(dirname(server.logFile), { recursive: true });
    });
    expect(lines).toEqual([expect.stringContaining(`cannot reach ${join(closed, 'postgres')}`)]);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  },
);
