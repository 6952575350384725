// `npm run hostile -- latency`: starts a stack and measures the latency of another account's calls while one account attacks with each
// connector's peers, and with filters and large bodies at inbound addresses; compared with the latency just before, without attack. Exits
// with 1 if a median of the ratios is 4 or more, or a call fails.
import { parseArgs } from 'node:util';
import { startChild } from '../bench/child.ts';
import type { LoopResult } from '../bench/closed-loop.ts';
import { median } from '../bench/statistics.ts';
import { createAttacker } from './support/attacker.ts';
import { startHostileStack } from './support/hostile-stack.ts';
import { dialingConnectors, peerOf } from './support/peers.ts';

/** Maximum factor by which another account's p99 may increase. */
const MAX_RATIO = 4;
const ATTACKERS = 4;
/** Number of attackers of inbound addresses, whose calls do not wait for anything else. */
const HOOK_ATTACKERS = 40;
/** Two filters: one that never ends; one that takes some milliseconds, so that it is not suspended. */
const LOOP = '($f := function($n){ $f($n + 1) }; $f(0))';
const SLOW = '$sum([1..5000].($ * 2)) < 0';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '3' },
  },
});

const { stack, vendorUrl, stop } = await startHostileStack();
/** The bystander's calls: each needs another service behind the gateway. */
const targets: readonly { readonly path: string; readonly body?: string }[] = [
  { path: '/v1/auth/whoami' },
  { path: '/v1/tools?search=contact' },
  { path: '/v1/connections' },
  { path: '/v1/executions?top=5' },
  { path: await createAttacker(stack, stack.otherAccount).openHook(), body: '{"a":1}' },
];
const generators = await Promise.all(targets.map(() => startChild('load-generator', { args: [] })));
try {
  const attacker = createAttacker(stack);
  const [looping, slow, plain] = [
    await attacker.openHook(LOOP),
    await attacker.openHook(SLOW),
    await attacker.openHook(),
  ];
  const large = JSON.stringify({ text: 'x'.repeat(1024 * 1024) });
  await attackWith('filters', HOOK_ATTACKERS, [
    () => attacker.callHook(looping, '{}'),
    () => attacker.callHook(slow, '{}'),
  ]);
  await attackWith('large calls', ATTACKERS, [
    () => attacker.callHook(plain, large),
    () => attacker.callHook(slow, large),
  ]);
  for (const connector of await dialingConnectors()) {
    const peer = await peerOf(connector)?.({ connector, vendorUrl, seed: 1 });
    if (peer === undefined) throw new Error(`${connector.slug} has no hostile peer.`);
    const attacks: (() => Promise<number>)[] = [];
    for (const { execution, isSlow, ...target } of peer.attacks) {
      if (execution === undefined || isSlow) continue;
      const id = await attacker.connect(target);
      attacks.push(() => attacker.execute(id, execution.call));
    }
    await attackWith(connector.slug, ATTACKERS, attacks);
    await peer.close();
  }
} finally {
  for (const generator of generators) await generator.stop();
  await stop();
}

/** The calls of another account without and under attack, by path. */
interface Round {
  readonly calm: readonly LoopResult[];
  readonly attacked: readonly LoopResult[];
  readonly attackingCalls: number;
}

async function attackWith(
  name: string,
  attackers: number,
  attacks: readonly (() => Promise<number>)[],
): Promise<void> {
  const rounds: Round[] = [];
  for (let round = 0; round < Number(values.rounds); round += 1)
    rounds.push(await measureRound(attackers, attacks));
  report(name, rounds);
}

async function measureRound(attackers: number, attacks: readonly (() => Promise<number>)[]): Promise<Round> {
  const calm = await measureOthers();
  const stopping = new AbortController();
  let next = 0;
  const attack = async (): Promise<void> => {
    while (!stopping.signal.aborted) await attacks[next++ % attacks.length]?.();
  };
  const attacking = Promise.all(Array.from({ length: attackers }, attack));
  const attacked = await measureOthers();
  stopping.abort();
  await attacking;
  return { calm, attacked, attackingCalls: next };
}

function measureOthers(): Promise<readonly LoopResult[]> {
  return Promise.all(
    generators.map((generator, index) =>
      generator.request({
        url: stack.baseUrl + (targets[index]?.path ?? ''),
        headers: { 'x-api-key': stack.otherAccount.apiKey },
        ...(targets[index]?.body !== undefined && { body: targets[index].body }),
        callers: 1,
        durationMs: Number(values.seconds) * 1_000,
      }),
    ),
  );
}

function report(slug: string, rounds: readonly Round[]): void {
  targets.forEach(({ path: called }, index) => {
    const path = called.replace(/^(\/hooks\/).*/, '$1…');
    const p99 = (of: 'calm' | 'attacked'): number[] => rounds.map((round) => round[of][index]?.p99Ms ?? 0);
    const ratio = median(rounds.map((_round, at) => (p99('attacked')[at] ?? 0) / (p99('calm')[at] ?? 1)));
    const failures = rounds.reduce((sum, round) => sum + (round.attacked[index]?.failures ?? 0), 0);
    const isBad = ratio >= MAX_RATIO || failures > 0;
    if (isBad) process.exitCode = 1;
    const ms = (values: readonly number[]): string => median(values).toFixed(1);
    console.log(
      `${slug.padEnd(14)}${path.padEnd(28)}p99 ${ms(p99('calm'))} ms, attacked ${ms(p99('attacked'))} ms: ` +
        `${ratio.toFixed(1)} x${failures > 0 ? `, ${failures} failures` : ''}${isBad ? ' (too much)' : ''}`,
    );
  });
  console.log(
    `${slug.padEnd(14)}${rounds.reduce((sum, round) => sum + round.attackingCalls, 0)} attacking calls`,
  );
}
