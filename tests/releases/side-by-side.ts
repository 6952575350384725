import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { untilOk } from '@fairlead/launcher/health';
import { CALLER_HEADER, signCaller } from '@fairlead/service-kit/context/caller-token';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import { SERVICE_NAMES } from '@fairlead/service-list/services';
import { MongoClient } from 'mongodb';
import { startLoad, tally } from '../faults/support/load.ts';
import type { LoadRoute } from '../faults/support/load.ts';
import { AMPLE_BUDGETS } from '../setup/raise-budgets.ts';
import { MIGRATED_NOTE, NEW_INDEXES, NEW_MIGRATION } from './newer-release.ts';
import type { Installation, Release } from './two-releases.ts';

const CONNECTIONS_OF_EACH = 15;
const CALLERS_OF_EACH_LOAD = 6;
const WELL_MS = 60_000;
const PAUSE_MS = 2_000;
const DEADLINE_MS = 35_000;
const PROCESSES = [...SERVICE_NAMES, 'gateway'] as const;
const DATABASES = ['gateway', ...SERVICE_NAMES].map((name) => `fairlead_${name}`);

/**
 * Runs the older release, adds the newer one under load, and restarts each service and the gateway of the older one once, as if killed
 * half-way through an upgrade. Then stops the older release, and starts it again instead of the newer one. Returns the problems, one per
 * line: failed calls, and lost indexes and values of the newer release.
 */
export async function runSideBySide(o: Installation, say: (line: string) => void): Promise<string[]> {
  const mongo = await MongoClient.connect(o.mongodbUri);
  const faults: string[] = [];
  try {
    await o.older.start();
    await raiseBudgets(o);
    const notes = new Map<number, string>();
    for (let n = 0; n < CONNECTIONS_OF_EACH; n += 1)
      notes.set(await create(o, o.older, `before ${n}`, undefined), MIGRATED_NOTE);
    say(`the older release runs; it stored ${notes.size} connections`);

    const [first = 0] = notes.keys();
    const loadAt = ({ baseUrl }: { readonly baseUrl: string }) =>
      startLoad({
        baseUrl,
        apiKey: o.accounts.account.apiKey,
        routes: [...reads(first), execute(first), createRoute(o), ...[...notes.keys()].flatMap(writes)],
        callers: CALLERS_OF_EACH_LOAD,
      });
    await untilOk(`${o.baseUrl}/readyz`, AbortSignal.timeout(WELL_MS));
    // Its connections use the older gateway, the only one, until that drains.
    const balanced = loadAt(o);
    await o.newer.start();
    const indexes = await indexesOf(mongo);
    for (const index of NEW_INDEXES)
      if (!indexes.includes(index)) faults.push(`the newer release did not make the index ${index}`);
    for (let n = 0; n < CONNECTIONS_OF_EACH; n += 1)
      notes.set(await create(o, o.newer, `beside ${n}`, `note ${n}`), `note ${n}`);
    // The older release accepts the unknown member.
    await create(o, o.older, 'unknown', 'not kept');
    const atNewer = loadAt(o.newer);
    say('the newer release runs beside it');
    await delay(PAUSE_MS);

    for (const name of SERVICE_NAMES) {
      await o.older.restart(name);
      say(`the older ${name} was restarted`);
      await delay(PAUSE_MS);
    }
    for (const load of [balanced, atNewer]) await load.untilWell(WELL_MS);
    await o.older.restart('gateway');
    say('the older gateway was restarted');
    // Directly, because the balancer may keep all connections at the newer gateway.
    const atOlder = loadAt(o.older);
    for (const load of [balanced, atNewer, atOlder]) await load.untilWell(WELL_MS);
    for (const release of [o.older, o.newer])
      for (const name of SERVICE_NAMES)
        if ((await rpcsServed(release.adminAddressOf(name))) === 0)
          faults.push(`${name} at ${release.root} served nothing after the restart`);

    const outcomes = [...(await atOlder.stop())];
    for (const name of PROCESSES) await o.older.stop(name);
    say('the older release was stopped');
    for (const load of [balanced, atNewer]) await load.untilWell(WELL_MS);
    outcomes.push(...(await atNewer.stop()));
    for (const name of PROCESSES) await o.older.restart(name);
    for (const name of PROCESSES) await o.newer.stop(name);
    say('the newer release was rolled back to the older one');
    await balanced.untilWell(WELL_MS);
    outcomes.push(...(await balanced.stop()));

    const failed = outcomes.filter(({ status }) => status < 200 || status >= 300);
    faults.push(
      ...failed.map((it) => `${it.route.name}: ${it.status} ${it.failure ?? JSON.stringify(it.body)}`),
    );
    say(`${outcomes.length} calls, ${failed.length} failed: ${JSON.stringify(tally(outcomes))}`);

    const left = new Set(await indexesOf(mongo));
    const lostIndexes = indexes.filter((index) => !left.has(index));
    faults.push(...lostIndexes.map((index) => `the index ${index} is lost`));
    say(`${indexes.length} indexes of the newer release, ${lostIndexes.length} lost`);

    await o.newer.restart('connections');
    const lostNotes = (await notesOf(o, [...notes.keys()])).filter(([id, note]) => note !== notes.get(id));
    faults.push(
      ...lostNotes.map(([id, note]) => `connection ${id} has the note "${note}", not "${notes.get(id)}"`),
    );
    say(`${notes.size} values of the new member, ${lostNotes.length} lost`);

    const refusal = contractWith(o.older, o.mongodbUri);
    if (refusal.status !== 1 || !refusal.output.includes(NEW_MIGRATION))
      faults.push(`the older release's migrate contract did not refuse: ${refusal.output}`);
    return faults;
  } finally {
    await mongo.close();
  }
}

function get(path: string): LoadRoute {
  return { name: `GET ${path}`, method: 'GET', path, deadlineMs: DEADLINE_MS };
}

function reads(id: number): LoadRoute[] {
  return [
    // An account for which identity's data is not cached.
    '/admin/v1/account',
    '/v1/applications',
    '/v1/connections',
    `/v1/connections/${id}`,
    '/v1/executions?top=5',
    '/v1/on-prem-agents',
    '/v1/mcpservers',
  ].map(get);
}

function execute(id: number): LoadRoute {
  return {
    name: 'POST …/execute',
    method: 'POST',
    path: `/v1/tools/sandbox-crm-list-contacts/execute?connectionId=${id}`,
    body: { top: 3 },
    deadlineMs: DEADLINE_MS,
  };
}

function createRoute({ apiToken }: Installation): LoadRoute {
  return {
    name: 'POST /v1/connections',
    method: 'POST',
    path: '/v1/connections',
    body: {
      applicationSlug: 'sandbox-crm',
      connectionName: 'Under load',
      authenticationId: 1,
      fields: { apiToken },
    },
    deadlineMs: DEADLINE_MS,
  };
}

/** Every way to write a connection. */
function writes(id: number): LoadRoute[] {
  const put = (path: string, body?: unknown): LoadRoute => ({
    name: `PUT …${path.slice(path.lastIndexOf('/'))}`,
    method: 'PUT',
    path,
    deadlineMs: DEADLINE_MS,
    ...(body !== undefined && { body }),
  });
  return [
    put(`/v1/connections/${id}`, { connectionName: `Written ${id}`, metadata: { id } }),
    put(`/admin/v1/connections/${id}/licence`, { status: 'active' }),
    put(`/v1/connections/${id}/default`),
  ];
}

/** Creates a connection at one release's connections service, whether or not it knows the member `testNote`. */
async function create(
  o: Installation,
  release: Release,
  connectionName: string,
  testNote: string | undefined,
): Promise<number> {
  const { connection } = await callConnections(o, release, 'CreateConnection', {
    applicationSlug: 'sandbox-crm',
    connectionName,
    authenticationId: 1,
    // JSON text, as bytes.
    fieldsJson: { apiToken: Buffer.from(JSON.stringify(o.apiToken)).toString('base64') },
    ...(testNote !== undefined && { testNote }),
  });
  return connection.id;
}

async function notesOf(o: Installation, ids: readonly number[]): Promise<[number, string | undefined][]> {
  const found: [number, string | undefined][] = [];
  for (const id of ids) {
    const { connection } = await callConnections(o, o.newer, 'GetConnection', { id });
    found.push([id, connection.testNote]);
  }
  return found;
}

async function callConnections(
  o: Installation,
  release: Release,
  method: string,
  request: object,
): Promise<{ readonly connection: { readonly id: number; readonly testNote?: string } }> {
  const caller = {
    kind: 'user',
    accountId: o.accounts.account.accountId,
    userId: 'usr_test',
    roles: ['owner'],
    permissions: [],
  } as const;
  const scope = { audience: 'connections', keys: parseKeyRing(o.callerContextKeys) };
  const url = `${release.addressOf('connections')}/fairlead.connections.v1.ConnectionService/${method}`;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', [CALLER_HEADER]: signCaller(caller, scope, new Date()) },
    body: JSON.stringify(request),
  });
  if (!answer.ok) throw new Error(`${method} answered ${answer.status}: ${await answer.text()}`);
  // Both RPCs return a connection.
  return (await answer.json()) as { connection: { id: number; testNote?: string } };
}

async function raiseBudgets({ older, accounts }: Installation): Promise<void> {
  const answer = await fetch(`${older.baseUrl}/admin/v1/account`, {
    method: 'PATCH',
    headers: { 'x-api-key': accounts.account.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ budgets: AMPLE_BUDGETS }),
  });
  if (!answer.ok) throw new Error(`Budgets cannot be raised: ${answer.status} ${await answer.text()}`);
}

/** Every index of all the product's databases: `<database>/<collection>/<index>`. */
async function indexesOf(mongo: MongoClient): Promise<string[]> {
  const found: string[] = [];
  for (const database of DATABASES)
    for (const collection of await mongo.db(database).collections())
      for (const { name } of await collection.indexes())
        found.push(`${database}/${collection.collectionName}/${name ?? ''}`);
  return found;
}

/** Number of RPCs that a replica has served since its start. */
async function rpcsServed(adminAddress: string): Promise<number> {
  const text = await (await fetch(`${adminAddress}/metrics`)).text();
  const counts = text.matchAll(/^rpc_server_duration_seconds_count\{service="fairlead\.[^}]*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

function contractWith({ root }: Release, mongodbUri: string): { status: number | null; output: string } {
  const script = join(root, 'services/connections/src/migrate.ts');
  const run = spawnSync(process.execPath, [script, 'contract', '--yes'], {
    encoding: 'utf8',
    env: { ...process.env, MONGODB_URI: mongodbUri },
  });
  return { status: run.status, output: run.stdout + run.stderr };
}
