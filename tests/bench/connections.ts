// `npm run bench -- connections`: starts its own stack and measures the cost of lists, details, creations and sign-ins in an account with
// 100 000 connections, 90 000 of them of one application, beside one with 100.
import { parseArgs } from 'node:util';
import { createStore } from '@fairlead/service-kit/mongo/mongo';
import { FormBrowser, signInAndAllow } from '@fairlead/sandbox-crm/testing/form-browser';
import { loadConnections } from '@fairlead-services/connections/testing/connection-storage';
import { MongoClient } from 'mongodb';
import { processOf } from '../faults/support/processes.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import { givenOrStartedStack } from '../setup/start-stack.ts';
import { callerOf, createAccount, removeAccount } from './accounts.ts';
import type { Account, Call } from './accounts.ts';
import { closedLoop } from './closed-loop.ts';
import { compareFewAndMany } from './few-and-many.ts';
import type { Subject } from './measure.ts';

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

/** Every tenth connection belongs to another application than the one used for signing in. */
const APPLICATION = 'sandbox-crm';
const OTHERS = 10;

/** An account and its number of connections. */
interface FilledAccount {
  readonly account: Account;
  readonly count: number;
  /** The id of one connection. */
  readonly id: number;
}

async function load(stack: DevStack, client: MongoClient, count: number): Promise<FilledAccount> {
  const account = await createAccount(stack);
  const { accountId } = account;
  const database = client.db('fairlead_connections');
  await loadConnections(createStore(client, database), accountId, count, (index) => ({
    applicationSlug: index % 10 === 0 ? `other-${(index / 10) % OTHERS}` : APPLICATION,
    applicationName: 'Sandbox CRM',
    kind: index % 10 === 0 ? 'Key' : 'Regular',
    connectionName: index === 1 ? 'Sandbox CRM' : `Sandbox CRM ${index}`,
    needsReauthentication: index % 33 === 0,
    licence: { status: index % 50 === 0 ? 'none' : 'active', expiresAt: null },
    // Creation times over a year, in another order than the ids.
    createdAt: new Date(Date.now() - ((index * 7_919) % count) * (31_536_000_000 / count)),
  }));
  const found = await database.collection<{ _id: number }>('connections').findOne({ accountId });
  if (found === null) throw new Error('Nothing was loaded.');
  return { account, count, id: found._id };
}

/** Signs in at the vendor like a person, creates the connection and removes it. */
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

/** The measured calls by name. The first ones are promised to cost at most twice as much among many connections. */
function operations(
  stack: DevStack,
  { account, count, id }: FilledAccount,
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

const { stack, stop } = await givenOrStartedStack();
const client = new MongoClient(stack.mongodbUri);
const loaded: FilledAccount[] = [];
try {
  for (const count of [Number(values.few), Number(values.many)])
    loaded.push(await load(stack, client, count));
  const pid = processOf(stack, 'services/connections/src/main.ts');
  const otherPid = processOf(stack, 'mongod');
  const [few = [], many = []] = loaded.map((one) =>
    Object.entries(operations(stack, one)).map(([name, operation]): Subject => ({
      name,
      pid,
      otherPid,
      run: (ms) => closedLoop([operation], ms),
    })),
  );
  console.log(
    `${values.many} connections beside ${values.few}: CPU of connections and mongod, one caller, medians of ${rounds} rounds`,
  );
  console.log(await compareFewAndMany(few, many, { rounds, durationMs }));
  console.log(`Ratios, except for "${NOT_PROMISED}", must be at most 2.`);
} finally {
  for (const { account } of loaded) await removeAccount(stack, account);
  await client.close();
  await stop();
}
