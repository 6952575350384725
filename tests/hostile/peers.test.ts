import { afterAll, beforeAll, describe, expect, it, inject } from 'vitest';
import type { Bystander } from './support/bystander.ts';
import { startBystander } from './support/bystander.ts';
import { areFiguresMeasured, times } from './support/figures.ts';
import { connect, encounters, execute, expectFailure, isNoticed } from './support/meet.ts';
import type { Encounter } from './support/meet.ts';
import { expectNoGrowth, othersServedDuring, whileOthersAreServed } from './support/observe.ts';
import type { HostilePeer } from './support/peer.ts';
import { dialingConnectors, peerOf } from './support/peers.ts';

/** Number of calls per attack, by execution and by connection test. */
const REPEATS = times(2, 6);
/** Number of calls per attack by peers that delay calls; fewer in total than an account's concurrent executions. */
const SLOW_REPEATS = times(1, 2);
const CONVERSATIONS = 300;
const FIRST_SEED = 1;
/** Concurrency: high, because a damaged conversation may wait for its deadline; below the capacity of an account's workers. */
const CONVERSATION_CALLERS = 30;
const CONNECTIONS = 4;
const BUSY_MACHINE = { timeout: 90_000, interval: 100 };

const connectors = await dialingConnectors();
const peers = new Map<string, HostilePeer>();
let bystander: Bystander;

beforeAll(async () => {
  const vendorUrl = inject('hostileVendorUrl');
  for (const connector of connectors) {
    const peer = await peerOf(connector)?.({ connector, vendorUrl, seed: FIRST_SEED });
    // tests/architecture/hostile-peers.test.ts reports connectors without a peer.
    if (peer !== undefined) peers.set(connector.slug, peer);
  }
  bystander = await startBystander();
});
afterAll(async () => {
  await bystander.stop();
  for (const peer of peers.values()) await peer.close();
});

/** Repeats each encounter, and checks every outcome. */
async function meet(met: readonly Encounter[]): Promise<void> {
  const all = met.flatMap((encounter) => Array<Encounter>(REPEATS).fill(encounter));
  const answers = await whileOthersAreServed(
    bystander,
    all.map(({ call }) => call),
  );
  answers.forEach((answer, index) => expectFailure(answer, all[index]?.fails));
  for (const { call, fails } of met) {
    const seen = answers.filter((_answer, index) => all[index]?.call === call);
    const noticed = async (): Promise<boolean> => {
      if (!isNoticed(seen, fails)) seen.push(await call());
      return isNoticed(seen, fails);
    };
    // On a busy machine the calls may reach their deadline instead.
    await expect.poll(noticed, BUSY_MACHINE).toBe(true);
  }
}

describe.each(connectors.map(({ slug }) => slug))('%s', (slug) => {
  const fast = (): HostilePeer['attacks'] => peers.get(slug)?.attacks.filter(({ isSlow }) => !isSlow) ?? [];
  const met = new Map<string, readonly Encounter[]>();

  it('each attack is a failed call, and nobody else notices', async () => {
    const failures: string[] = [];
    for (const attack of fast()) {
      const made = await encounters(attack);
      met.set(attack.name, made);
      await meet(made).catch((error: unknown) => failures.push(`${attack.name}: ${String(error)}`));
    }
    expect(failures, failures.join('\n')).toEqual([]);
  });

  it(`${CONVERSATIONS} generated conversations end no process`, async () => {
    const conversations = peers.get(slug)?.conversations;
    if (conversations === undefined) return;
    const { connection, connected } = conversations;
    const ids = await Promise.all(Array.from({ length: CONNECTIONS }, () => connect({ connection })));
    connected?.();
    const calls = Array.from(
      { length: CONVERSATIONS },
      (_value, index) => () => execute(ids[index % CONNECTIONS] ?? 0, conversations.call(FIRST_SEED + index)),
    );
    const answers = await whileOthersAreServed(bystander, calls, { callers: CONVERSATION_CALLERS });
    for (const answer of answers) expectFailure(answer, undefined);
  });

  it.runIf(areFiguresMeasured)(
    'a repeat of the attacks adds less than a fifth to the memory of a service',
    async () => {
      await expectNoGrowth(() =>
        whileOthersAreServed(
          bystander,
          [...met.values()].flat().flatMap(({ call }) => Array<Encounter['call']>(REPEATS / 2).fill(call)),
        ),
      );
    },
  );
});

it('peers that keep calls waiting fail them at their deadline, all at once', async () => {
  const slow = [...peers.values()].flatMap(({ attacks }) => attacks.filter(({ isSlow }) => isSlow));
  const made = (await Promise.all(slow.map(encounters))).flat();
  const all = made.flatMap((encounter) => Array<Encounter>(SLOW_REPEATS).fill(encounter));
  // Otherwise the bystander's own calls would dominate the CPU time per attacking call.
  const answers = await othersServedDuring(bystander, () => Promise.all(all.map(({ call }) => call())));
  expect(answers).toHaveLength(all.length);
  answers.forEach((answer, index) => expectFailure(answer, all[index]?.fails));
});
