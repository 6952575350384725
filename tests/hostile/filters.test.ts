import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { createAccount, expectStatus, removeAccount } from '../contract/support/accounts.ts';
import { asOther, call, get } from '../contract/support/api.ts';
import type { Answer } from '../contract/support/api.ts';
import type { TestAccount } from '../contract/support/own-accounts.ts';
import type { Bystander } from './support/bystander.ts';
import { startBystander } from './support/bystander.ts';
import { times } from './support/figures.ts';
import { othersServedDuring, whileOthersAreServed } from './support/observe.ts';
import type { AttackingCall } from './support/observe.ts';
import { createHook } from './support/triggers.ts';

const REPEATS = times(4, 8);
/**
 * Statuses of an attacking call: filtered out, or not run in time by the account's own worker. If that waits for the processor on a busy
 * machine, the gateway's deadline comes first.
 */
const ENDS = [200, 429, 503, 504];

let bystander: Bystander;
beforeAll(async () => {
  bystander = await startBystander();
});
afterAll(() => bystander.stop());

/** A new account per attack: an attack's remaining work in its account's worker would delay the next one. */
async function attacker(): Promise<TestAccount> {
  const account = await createAccount();
  onTestFinished(() => removeAccount(account));
  return account;
}

/** A trigger with this filter, or none: its id, and a function that calls its inbound address. */
async function filteredBy(
  filter: string | null,
  { apiKey }: { readonly apiKey: string },
): Promise<{ id: string; fire: () => Promise<Answer> }> {
  const { id, inboundUrl } = await createHook({ name: 'Filtered', filter }, { apiKey });
  const path = new URL(inboundUrl).pathname;
  const body = JSON.stringify({ text: `${'a'.repeat(40)}!` });
  const headers = { 'content-type': 'application/json' };
  return { id, fire: () => call('POST', path, { raw: body, headers, apiKey: null }) };
}

const ATTACKS = [
  ['recursion without an end', '($f := function($n){ $f($n + 1) }; $f(0))'],
  ['recursion that is no tail call', '($f := function($n){ 1 + $f($n + 1) }; $f(0))'],
  ['a list of ten million', '$sum([1..9999999]) = 0'],
  ['lists of lists', '$count([1..2000].([1..2000])) = 0'],
  [
    'a text that doubles',
    '($f := function($s, $n){ $n = 0 ? $s : $f($s & $s, $n - 1) }; $length($f("aaaa", 40)) = 0)',
  ],
  ['a pattern that backtracks for ever', '$match(body.text, /^(a+)+$/)[0].match = ""'],
  ['a value that is large', '[1..100000].{"a": $}'],
] as const;

it.each(ATTACKS)('%s ends its own run only, and the trigger says why', async (_name, filter) => {
  const account = await attacker();
  const hostile = await filteredBy(filter, account);
  const attacks = Array<AttackingCall>(REPEATS).fill(hostile.fire);
  const answers = [...(await whileOthersAreServed(bystander, attacks))];
  // On a busy machine possibly none of them was run.
  while (answers.every(({ status }) => status !== 200)) answers.push(await hostile.fire());
  for (const { status } of answers) expect(ENDS).toContain(status);
  if (filter.startsWith('[1..100000]')) return;
  const { lastError } = expectStatus(await get(`/v1/triggers/${hostile.id}`, account), 200).body;
  expect(lastError).toMatch(/^The filter failed: /);
});

it('filters of another account run while those of one loop', async () => {
  const account = await attacker();
  const loops = await Promise.all(ATTACKS.slice(0, 4).map(([, filter]) => filteredBy(filter, account)));
  const honest = await filteredBy('$contains(body.text, "a")', asOther);
  const answers = await othersServedDuring(bystander, async () => {
    const attacking = Promise.all(loops.flatMap(({ fire }) => Array.from({ length: 10 }, fire)));
    const served: Answer[] = [];
    for (let at = 0; at < 10; at += 1) served.push(await honest.fire());
    await attacking;
    return served;
  });
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
});

/** Each run takes some milliseconds, so that the trigger is not suspended. */
const SLOW = '$sum([1..5000].($ * 2)) < 0';
const WAITING = 80;
const CALLS = 30;

it('no call to an address without a filter waits for the filters of another account', async () => {
  const account = await attacker();
  const slow = await filteredBy(SLOW, account);
  const plain = await filteredBy(null, asOther);
  const waiting = new Set<symbol>();
  const stopping = new AbortController();
  const attack = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const id = Symbol('call');
      waiting.add(id);
      const { status } = await slow.fire();
      waiting.delete(id);
      expect(ENDS).toContain(status);
    }
  };
  const answers = await othersServedDuring(bystander, async () => {
    const attacking = Promise.all(Array.from({ length: WAITING }, attack));
    const served: { status: number; hasOvertaken: boolean }[] = [];
    for (let at = 0; at < CALLS; at += 1) {
      const before = [...waiting];
      const { status } = await plain.fire();
      served.push({ status, hasOvertaken: before.some((id) => waiting.has(id)) });
    }
    stopping.abort();
    await attacking;
    return served;
  });
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202));
  // All calls wait for one worker in order, so none is overtaken. If this process or the gateway is halted for a moment, all may be
  // answered before the test looks.
  expect(answers.filter(({ hasOvertaken }) => hasOvertaken).length).toBeGreaterThan(CALLS / 2);
});
