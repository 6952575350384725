// `npm run bench -- events`: starts its own stack and measures the cost of pages of events in an account with 1 000 000 of them, beside one
// with 1 000: by trigger, destination, delivery state and period; first pages, pages after an event and at an offset; and the index keys
// and documents that the queries of such a page examine, according to MongoDB's profiler.
import { parseArgs } from 'node:util';
import { createStore } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { loadEvents } from '@fairlead-services/delivery/testing/load-events';
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
const from = new Date(to.getTime() - 28 * DAY_MS);
/** Page size that is full in the small account, too, with any filter. */
const TOP = 'top=25';
/** The middle half of the time. */
const PERIOD = [from, to]
  .map((end, index) => end.getTime() + (index === 0 ? 7 : -7) * DAY_MS)
  .map((time, index) => `${index === 0 ? 'from' : 'to'}=${new Date(time).toISOString()}`)
  .join('&');
/** Lag of events of polls. */
const LAGS_MS = [0, 0, 20_000, 60_000];
const STATES = ['delivered', 'delivered', 'delivered', 'deadLettered'] as const;

/** Number of triggers, and number of destinations, in each account. */
const [SECOND, RARE] = [2, 3];

interface FilledAccount {
  readonly account: Account;
  readonly ids: readonly string[];
  /** Query strings of the account's lists, by filter names. */
  readonly filters: Readonly<Record<string, string>>;
}

/** No filter, each filter, every pair, and all of them. */
function combinations(filters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const each = Object.entries(filters);
  const pairs = each.flatMap(([one, query], at) =>
    each.slice(at + 1).map(([other, also]) => [`${one} and ${other}`, `${query}&${also}`] as const),
  );
  const all = each.map(([, query]) => query).join('&');
  return { nothing: '', ...filters, ...Object.fromEntries(pairs), 'all of them': all };
}

async function load(stack: DevStack, store: MongoStore, count: number): Promise<FilledAccount> {
  const account = await createAccount(stack);
  const of = (name: string, number: number): string => `${name}_${account.accountId}_${number}`;
  // Ten events each have a rare trigger, and a rare destination; every tenth has a second destination.
  const isNth = (index: number, nth: number): boolean => index % Math.floor(count / 10) === nth;
  const otherOf = (index: number): { readonly otherDestinationId?: string } => {
    if (isNth(index, 1)) return { otherDestinationId: of('dst', RARE) };
    return index % 10 === 0 ? { otherDestinationId: of('dst', SECOND) } : {};
  };
  const ids = await loadEvents(store, account.accountId, { count, from, to }, (index) => ({
    triggerId: of('trg', isNth(index, 0) ? RARE : index % 2),
    destinationId: of('dst', Math.floor(index / 2) % 2),
    ...otherOf(index),
    state: STATES[Math.floor(index / 4) % STATES.length] ?? 'delivered',
    lagMs: LAGS_MS[Math.floor(index / 16) % LAGS_MS.length] ?? 0,
  }));
  const trigger = `triggerId=${of('trg', 0)}`;
  const destination = `destinationId=${of('dst', 0)}`;
  const filters = { trigger, destination, 'what became of them': 'delivery=dead_lettered', period: PERIOD };
  const delivered = 'delivery=delivered';
  const pairs = {
    'a rare trigger and delivered': `triggerId=${of('trg', RARE)}&${delivered}`,
    'a rare destination and delivered': `destinationId=${of('dst', RARE)}&${delivered}`,
    'a rare destination and trigger': `destinationId=${of('dst', RARE)}&triggerId=${of('trg', 1)}`,
    'a second destination and delivered': `destinationId=${of('dst', SECOND)}&${delivered}`,
  };
  return { account, ids, filters: { ...combinations(filters), ...pairs } };
}

/** Lists all kinds of events until the service has created their checkpoints, which it does in the background. */
async function countAhead(
  stack: DevStack,
  store: MongoStore,
  { account, filters }: FilledAccount,
): Promise<void> {
  const call = callerOf(stack, account);
  const { accountId } = account;
  const checkpoints = ['event_checkpoints', 'event_row_checkpoints'].map((name) => store.db.collection(name));
  for (let before = -1; ;) {
    for (const filter of Object.values(filters)) await call('GET', `/v1/triggers/events?${TOP}&${filter}`);
    const counted = await Promise.all(checkpoints.map((each) => each.countDocuments({ accountId })));
    const there = counted.reduce((sum, each) => sum + each, 0);
    if (there === before) return;
    before = there;
    await new Promise((resolve) => void setTimeout(resolve, 2_000));
  }
}

function operations(
  stack: DevStack,
  { account, ids, filters }: FilledAccount,
): [name: string, run: () => Promise<unknown>][] {
  const call = callerOf(stack, account);
  const page = (query: string) => () => call('GET', `/v1/triggers/events?${TOP}&${query}`);
  const after = `after=${ids[Math.floor(ids.length / 2)]}`;
  return [
    ...Object.entries(filters).flatMap(([name, query]): [string, () => Promise<unknown>][] => [
      [`by ${name}`, page(query)],
      [`by ${name}, after the middle`, page(`${query}&${after}`)],
    ]),
    ['by nothing, at nine tenths', page(`offset=${Math.floor(ids.length * 0.9)}`)],
    ['by what became of them, far', page(`delivery=delivered&offset=${Math.floor(ids.length * 0.6)}`)],
    ['by period, far', page(`${PERIOD}&offset=${Math.floor(ids.length * 0.4)}`)],
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
  const store = createStore(client, client.db('fairlead_delivery'));
  for (const count of [Number(values.few), Number(values.many)]) loaded.push(await load(stack, store, count));
  for (const one of loaded) await countAhead(stack, store, one);
  const examined = await examinations(stack, store.db, loaded);
  const pid = processOf(stack, 'services/delivery/src/main.ts');
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
    `${values.many} events beside ${values.few}: CPU of delivery and mongod, one caller, medians of ${rounds} rounds`,
  );
  console.log(compared);
  console.log('Index keys and documents that the queries of one call examine:');
  console.log(examined);
  console.log('Ratios must be at most 3.');
} finally {
  for (const { account } of loaded) await removeAccount(stack, account);
  await client.close();
  await stop();
}
