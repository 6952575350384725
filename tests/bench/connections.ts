// `npm run bench:connections`: starts its own stack, and measures what lists, details, creations and sign-ins cost in an account
// with 100 000 connections, 90 000 of them of one application, beside one with 100.
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createStore } from '@fairlead/service-kit/mongo/mongo';
import { FormBrowser, signInAndAllow } from '@fairlead/sandbox-crm/testing/form-browser';
import { loadConnections } from '@fairlead-services/connections/testing/connection-storage';
import { MongoClient } from 'mongodb';
import { processOf } from '../faults/support/processes.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import { AMPLE_BUDGETS } from '../setup/raise-budgets.ts';
import { givenOrStartedStack } from '../setup/start-stack.ts';
import { closedLoop } from './closed-loop.ts';
import { measure } from './measure.ts';
import type { Measurement, Sample, Subject } from './measure.ts';
import { median } from './statistics.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    few: { type: 'string', default: '100' },
    many: { type: 'string', default: '100000' },
  },
});
const durationMs = Number(values.seconds) * 1_000;
const rounds = Number(values.rounds);

/** Every tenth connection is of another application than the one that is signed in to. */
const APPLICATION = 'sandbox-crm';
const OTHERS = 10;

interface Account {
  readonly accountId: string;
  readonly apiKey: string;
}

/** An account with many connections or few, and how many. */
interface Loaded {
  readonly account: Account;
  readonly count: number;
  /** One of them. */
  readonly id: number;
}

async function makeAccount({ baseUrl, operatorKey }: DevStack): Promise<Account> {
  const mark = randomBytes(6).toString('hex');
  const response = await fetch(new URL('/operator/v1/accounts', baseUrl), {
    method: 'POST',
    headers: { 'x-api-key': operatorKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      name: `Bench ${mark}`,
      ownerName: 'Bench',
      ownerEmail: `bench-${mark}@test.example`,
      ownerPassword: randomBytes(12).toString('base64url'),
      budgets: AMPLE_BUDGETS,
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`An account could not be made: ${response.status} ${text}`);
  // The contract names these members of the answer.
  return JSON.parse(text) as Account;
}

async function load(stack: DevStack, client: MongoClient, count: number): Promise<Loaded> {
  const account = await makeAccount(stack);
  const { accountId } = account;
  const database = client.db('fairlead_connections');
  await loadConnections(createStore(client, database), accountId, count, (index) => ({
    applicationSlug: index % 10 === 0 ? `other-${(index / 10) % OTHERS}` : APPLICATION,
    applicationName: 'Sandbox CRM',
    kind: index % 10 === 0 ? 'Key' : 'Regular',
    connectionName: index === 1 ? 'Sandbox CRM' : `Sandbox CRM ${index}`,
    needsReauthentication: index % 33 === 0,
    licence: { status: index % 50 === 0 ? 'none' : 'active', expiresAt: null },
    // An order by time that is not that of the ids, over a year.
    createdAt: new Date(Date.now() - ((index * 7_919) % count) * (31_536_000_000 / count)),
  }));
  const found = await database.collection<{ _id: number }>('connections').findOne({ accountId });
  if (found === null) throw new Error('Nothing was loaded.');
  return { account, count, id: found._id };
}

type Call = (method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** Calls the API as an account; throws unless it succeeds. */
function callerOf({ baseUrl }: DevStack, { apiKey }: Account): Call {
  return async (method, path, body) => {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      headers: { 'x-api-key': apiKey, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    // The contract has objects, or nothing, for all that is called here.
    return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
  };
}

/** Signs in at the vendor as a person does, creates the connection and removes it. */
async function signIn({ sandboxCrm }: DevStack, call: Call): Promise<void> {
  const method = { applicationSlug: APPLICATION, authenticationId: 0 };
  const { signInUrl, state } = await call('POST', '/v1/connections/get-sign-in-url', method);
  const browser = new FormBrowser();
  await browser.open(String(signInUrl));
  const atVendor = await browser.submit('Continue to Sandbox CRM');
  const person = { email: sandboxCrm.user, password: sandboxCrm.password };
  await browser.open(await signInAndAllow(atVendor.url, person));
  const { connectionData } = await call('GET', `/v1/connections/access-token/${String(state)}`);
  const { suggestedName } = connectionData as { readonly suggestedName: string };
  const body = { ...method, connectionName: suggestedName, fields: {}, oauthState: state };
  const { id } = await call('POST', '/v1/connections', body);
  await call('DELETE', `/v1/connections/${String(id)}`);
}

/** What is measured, by name. The first are promised to cost at most twice as much among many connections. */
function operations(
  stack: DevStack,
  { account, count, id }: Loaded,
): Readonly<Record<string, () => Promise<unknown>>> {
  const call = callerOf(stack, account);
  const list = (query: string) => () => call('GET', `/v1/connections${query}`);
  const direct = {
    applicationSlug: APPLICATION,
    connectionName: 'Bench',
    authenticationId: 1,
    fields: { apiToken: stack.sandboxCrm.apiKey },
  };
  return {
    list: list(''),
    'list by kind': list('?kind=Regular'),
    'list by application': list(`?applicationSlug=${APPLICATION}`),
    'list by status': list('?status=NeedsReauthentication'),
    'list by all three': list(`?kind=Regular&applicationSlug=${APPLICATION}&status=Active`),
    'last page': list(`?offset=${count - 25}`),
    detail: () => call('GET', `/v1/connections/${id}`),
    'creation and deletion': async () => {
      const created = await call('POST', '/v1/connections', direct);
      await call('DELETE', `/v1/connections/${String(created['id'])}`);
    },
    'sign-in, creation and deletion': () => signIn(stack, call),
    'page in the middle': list(`?offset=${Math.floor(count / 2)}`),
  };
}

const NOT_PROMISED = 'page in the middle';

/** The median over the rounds of a figure among many, in that among few of the same round. */
function ratioOf(few: Measurement, many: Measurement, figure: (sample: Sample) => number): number {
  const ratios = many.rounds.map((sample, round) => {
    const other = few.rounds[round];
    return other === undefined ? Number.NaN : figure(sample) / figure(other);
  });
  return median(ratios);
}

const cpuOf = ({ cpu, otherCpu }: Sample): number => cpu + otherCpu;

function describe(few: readonly Measurement[], many: readonly Measurement[]): string {
  const rows = many.map((one, index) => {
    const other = few[index];
    if (other === undefined) throw new Error(`${one.name} was not measured among few.`);
    const both = (figure: (sample: Sample) => number): string[] =>
      [other, one].map(({ rounds: of }) => median(of.map(figure)).toFixed(2));
    const millis = (sample: Sample): number => cpuOf(sample) / 1_000;
    return [
      one.name,
      ...both(millis),
      ratioOf(other, one, cpuOf).toFixed(2),
      ...both(({ p50Ms }) => p50Ms),
      ratioOf(other, one, ({ p50Ms }) => p50Ms).toFixed(2),
    ];
  });
  return table(['', 'CPU ms', 'of many', 'ratio', 'p50 ms', 'of many', 'ratio'], rows);
}

const { stack, stop } = await givenOrStartedStack();
const client = new MongoClient(stack.mongodbUri);
const loaded: Loaded[] = [];
try {
  for (const count of [Number(values.few), Number(values.many)])
    loaded.push(await load(stack, client, count));
  const pid = processOf(stack, 'services/connections/src/main.ts');
  const otherPid = processOf(stack, 'mongod');
  const subjects = loaded.flatMap((one) =>
    Object.entries(operations(stack, one)).map(([name, operation]): Subject => ({
      name,
      pid,
      otherPid,
      run: (ms) => closedLoop([operation], ms),
    })),
  );
  // Next to each other: what is measured of few, then the same of many.
  const names = subjects.length / 2;
  const inTurn = subjects
    .slice(0, names)
    .flatMap((subject, index) => [subject, ...subjects.slice(names + index, names + index + 1)]);
  const measured = await measure(inTurn, { rounds, durationMs });
  const few = measured.filter((_one, index) => index % 2 === 0);
  const many = measured.filter((_one, index) => index % 2 === 1);
  console.log(
    `${values.many} connections beside ${values.few}: CPU of connections and mongod, one caller, medians of ${rounds} rounds`,
  );
  console.log(describe(few, many));
  console.log(`Ratios, except for "${NOT_PROMISED}", must be at most 2.`);
} finally {
  for (const { account } of loaded)
    await fetch(new URL(`/operator/v1/accounts/${account.accountId}`, stack.baseUrl), {
      method: 'DELETE',
      headers: { 'x-api-key': stack.operatorKey },
    });
  await client.close();
  await stop();
}
