// `npm run bench -- history`: starts its own stack and measures the cost of pages of the history in an account with 1 000 000 executions,
// beside one with 1 000: by each filter and pair of filters; first pages, pages after a row and at an offset; and the index keys and
// documents that the queries of such a page examine, according to MongoDB's profiler.
import { parseArgs } from 'node:util';
import { createStore } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { loadExecutions } from '@fairlead-services/tools/testing/history-storage';
import { MongoClient } from 'mongodb';
import type { Db } from 'mongodb';
import { processOf } from '../faults/support/processes.ts';
import type { DevStack } from '../setup/dev-stack.ts';
import { givenOrStartedStack } from '../setup/start-stack.ts';
import { callerOf, createAccount, removeAccount } from './accounts.ts';
import type { Account } from './accounts.ts';
import { closedLoop } from './closed-loop.ts';
import { examinedBy } from './examined.ts';
import { compareFewAndMany } from './few-and-many.ts';
import type { Subject } from './measure.ts';
import { table } from './table.ts';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1' },
    few: { type: 'string', default: '1000' },
    many: { type: 'string', default: '1000000' },
  },
});
const durationMs = Number(values.seconds) * 1_000;
const rounds = Number(values.rounds);

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const to = new Date(Date.now() - 10 * MINUTE_MS);
const from = new Date(to.getTime() - 60 * DAY_MS);
/** The middle half of the time. */
const PERIOD = [from, to]
  .map((end, index) => end.getTime() + (index === 0 ? 15 : -15) * DAY_MS)
  .map((time, index) => `${index === 0 ? 'from' : 'to'}=${new Date(time).toISOString()}`)
  .join('&');

const FILTERS = {
  tool: 'toolSlug=bench-0',
  connection: 'connectionId=1',
  success: 'isSuccess=false',
  period: PERIOD,
};
const KINDS = ['', FILTERS.tool, FILTERS.connection, `${FILTERS.tool}&${FILTERS.connection}`];
/** Page size that is full in the small account, too, with any filter. */
const TOP = 'top=25';

interface FilledAccount {
  readonly account: Account;
  readonly ids: readonly number[];
}

async function load(stack: DevStack, store: MongoStore, count: number): Promise<FilledAccount> {
  const account = await createAccount(stack);
  // Ids are unique among all accounts, and the numbers of rows have a common divisor.
  const period = { from: new Date(from.getTime() + (count % 7)), to };
  const ids = await loadExecutions(store, account.accountId, { count, ...period }, (index) => ({
    toolSlug: `bench-${index % 2}`,
    connectionId: 1 + (Math.floor(index / 2) % 2),
    isSuccess: Math.floor(index / 4) % 4 > 0,
  }));
  return { account, ids };
}

/** Lists all kinds of rows until the service has created their checkpoints, which it does in the background. */
async function countAhead(
  stack: DevStack,
  store: MongoStore,
  { account, ids }: FilledAccount,
): Promise<void> {
  const call = callerOf(stack, account);
  const lacking = async (): Promise<number> => {
    const { accountId } = account;
    const there = await store.db.collection('execution_checkpoints').countDocuments({ accountId });
    // Selections with all, half and a quarter of the rows.
    const shares = [1, 0.5, 0.5, 0.25].map((share) => Math.floor((share * ids.length - 1) / 500));
    return shares.reduce((sum, share) => sum + (share > 2 ? share + 1 : 0), 0) - there;
  };
  while ((await lacking()) > 0) for (const kind of KINDS) await call('GET', `/v1/executions?${TOP}&${kind}`);
}

/** Every filter and pair of filters, all of them, and none. */
function combinations(): [name: string, query: string][] {
  const filters = Object.entries(FILTERS);
  const pairs = filters.flatMap(([one, query], index) =>
    filters
      .slice(index + 1)
      .map(([other, also]): [string, string] => [`${one} and ${other}`, `${query}&${also}`]),
  );
  return [
    ['nothing', ''],
    ...filters,
    ...pairs,
    ['all of them', filters.map(([, query]) => query).join('&')],
  ];
}

function operations(
  stack: DevStack,
  { account, ids }: FilledAccount,
): [name: string, run: () => Promise<unknown>][] {
  const call = callerOf(stack, account);
  const page = (query: string) => () => call('GET', `/v1/executions?${TOP}&${query}`);
  const after = `after=${ids[Math.floor(ids.length / 2)]}`;
  const oldest = `after=${ids[Math.floor(ids.length / 10)]}`;
  const offset = `offset=${Math.floor(ids.length * 0.9)}`;
  return [
    ...combinations().flatMap(([name, query]): [string, () => Promise<unknown>][] => [
      [`by ${name}`, page(query)],
      [`by ${name}, after the middle`, page(`${query}&${after}`)],
    ]),
    ['by nothing, after nine tenths', page(oldest)],
    ['by nothing, at nine tenths', page(offset)],
    ['executions a day', () => call('GET', '/admin/v1/usage')],
  ];
}

/** A table of keys and documents examined by one call of each operation, in the small and the large account. */
async function examinations(stack: DevStack, db: Db, accounts: readonly FilledAccount[]): Promise<string> {
  const rows = new Map<string, string[]>();
  for (const loaded of accounts)
    for (const [name, run] of operations(stack, loaded)) {
      const { keys, documents, isScan } = await examinedBy(db, run);
      rows.set(name, [...(rows.get(name) ?? [name]), String(keys), String(documents), isScan ? 'yes' : 'no']);
    }
  return table(['', 'keys', 'documents', 'scan', 'keys of many', 'documents', 'scan'], [...rows.values()]);
}

const { stack, stop } = await givenOrStartedStack();
const client = new MongoClient(stack.mongodbUri);
const loaded: FilledAccount[] = [];
try {
  const store = createStore(client, client.db('fairlead_tools'));
  for (const count of [Number(values.few), Number(values.many)]) loaded.push(await load(stack, store, count));
  for (const one of loaded) await countAhead(stack, store, one);
  const examined = await examinations(stack, store.db, loaded);
  const pid = processOf(stack, 'services/tools/src/main.ts');
  const otherPid = processOf(stack, 'mongod');
  const [few = [], many = []] = loaded.map((one) =>
    operations(stack, one).map(([name, operation]): Subject => ({
      name,
      pid,
      otherPid,
      run: (ms) => closedLoop([operation], ms),
    })),
  );
  const compared = await compareFewAndMany(few, many, { rounds, durationMs });
  console.log(
    `${values.many} executions beside ${values.few}: CPU of tools and mongod, one caller, medians of ${rounds} rounds`,
  );
  console.log(compared);
  console.log('Index keys and documents that the queries of one call examine:');
  console.log(examined);
  console.log('Ratios, except for executions a day, must be at most 3.');
} finally {
  for (const { account } of loaded) await removeAccount(stack, account);
  await client.close();
  await stop();
}
