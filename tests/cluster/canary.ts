import { setTimeout as delay } from 'node:timers/promises';
import type { Part } from './part.ts';
import {
  callAll,
  change,
  chosen,
  createAccounts,
  expectedAt,
  keyIdOf,
  OBEYED_MS,
  servedDuring,
  servedFurther,
  startCanaryLoad,
  withCanary,
} from './support/canaries.ts';
import type { Account, Finding } from './support/canaries.ts';
import type { Installation } from './support/installation.ts';
import { until } from './support/kubernetes.ts';

const ACCOUNTS = 2_000;
const CALLS_EACH = 10;
/** Accounts whose keys may choose a track. */
const ALLOWED = 20;
const UNDER_LOAD = 24;
const MOST_APART = 0.02;
/** Time after the response to an abort from which no call may start at the canary. */
const ABORTED_MS = 5_000;
const CANARY = 'deployment/fairlead-tools-canary';

/** A canary of tools by accounts: its share, headers, changes, and the end of its pods, during calls that must not fail. */
export const canary: Part = {
  name: 'canary',
  async run(site) {
    const installation = await site.installation();
    const accounts = await createAccounts(installation, ACCOUNTS);
    site.say(`${String(accounts.length)} accounts were created`);
    const headers = ['operator'];
    for (const account of accounts.slice(0, ALLOWED)) headers.push(await keyIdOf(installation, account));
    const values = { mode: 'gateway', weight: 10, headers, analysis: { enabled: false } };
    return withCanary(installation, values, async () => {
      await untilReached(installation, accounts);
      const share = await shareOf(installation, accounts);
      site.say(share.figure);
      const byHeader = await headersOf(installation, accounts);
      await change(installation, 'PATCH', '', { weight: 25 });
      const raised = await raisedShareOf(installation, accounts);
      site.say(raised.figure);
      const changed = await changesUnderLoad(installation, accounts);
      const findings = [share, byHeader, raised, changed];
      return {
        figures: findings.map(({ figure }) => figure),
        problems: findings.flatMap(({ problems }) => problems),
      };
    });
  },
};

/** Resolves once every gateway knows the canary: several consecutive calls reach it. */
async function untilReached(installation: Installation, accounts: readonly Account[]): Promise<void> {
  const [account] = accounts;
  if (account === undefined) throw new Error('There is no account');
  const headers = Array.from({ length: ALLOWED }, () => chosen(account));
  await until('all calls with the header reach the canary', OBEYED_MS, async () => {
    const { canary: reached } = await servedDuring(installation, () => callAll(installation, headers));
    return reached === headers.length;
  });
}

async function shareOf(installation: Installation, accounts: readonly Account[]): Promise<Finding> {
  const expected = await expectedAt(installation, accounts, 10);
  const headers = accounts.flatMap(({ apiKey }) =>
    Array.from({ length: CALLS_EACH }, () => ({ 'x-api-key': apiKey })),
  );
  let failed = 0;
  const served = await servedDuring(installation, async () => {
    failed = await callAll(installation, headers);
  });
  const share = served.canary / headers.length;
  return {
    figure: `weight 10: ${String(served.canary)} of ${String(headers.length)} calls by ${String(accounts.length)} accounts reached the canary (${(100 * share).toFixed(1)} %), ${String(failed)} failed`,
    problems: [
      ...(Math.abs(share - 0.1) > MOST_APART ? ['the share is not 10 % ± 2 points'] : []),
      // If an account changed its track, the number would differ.
      ...(served.canary === expected.length * CALLS_EACH
        ? []
        : [`${String(expected.length)} accounts should have reached the canary with all their calls`]),
      ...(served.stable + served.canary === headers.length ? [] : ['calls were served twice or not at all']),
      ...(failed > 0 ? [`${String(failed)} calls failed at weight 10`] : []),
    ],
  };
}

/** Accounts that weight 10 sends to the canary stay there. */
async function raisedShareOf(installation: Installation, accounts: readonly Account[]): Promise<Finding> {
  const former = await expectedAt(installation, accounts, 10);
  const expected = await expectedAt(installation, accounts, 25);
  const own = async (some: readonly Account[]): Promise<number> => {
    const headers = some.map(({ apiKey }) => ({ 'x-api-key': apiKey }));
    return (await servedDuring(installation, () => callAll(installation, headers))).canary;
  };
  const [stayed, all] = [await own(former), await own(accounts)];
  return {
    figure: `weight 25: ${String(all)} of ${String(accounts.length)} accounts reach the canary, and ${String(stayed)} of the former ${String(former.length)}`,
    problems: [
      ...(stayed === former.length ? [] : ['a higher weight moved accounts back']),
      ...(all === expected.length
        ? []
        : [`${String(expected.length)} accounts should reach it at weight 25`]),
    ],
  };
}

/** The header works for keys named in the values, and with the operator's key; for others it is ignored. */
async function headersOf(installation: Installation, accounts: readonly Account[]): Promise<Finding> {
  const inside = await expectedAt(installation, accounts, 10);
  const reached = async (
    some: readonly Account[],
    further: Readonly<Record<string, string>> = {},
  ): Promise<readonly [reached: number, calls: number]> => {
    const outside = some
      .filter((account) => !inside.includes(account))
      .map((account) => ({ ...chosen(account), ...further }));
    const served = await servedDuring(installation, () => callAll(installation, outside));
    return [served.canary, outside.length];
  };
  const others = accounts.slice(ALLOWED, 2 * ALLOWED);
  const [allowed, calls] = await reached(accounts.slice(0, ALLOWED));
  const [refused] = await reached(others);
  const [operated, all] = await reached(others, { 'x-operator-key': installation.target.operatorKey });
  return {
    figure: `the header x-canary-tools: ${String(allowed)} of ${String(calls)} calls with keys of the values reached the canary, ${String(operated)} of ${String(all)} beside the operator's key, ${String(refused)} with others`,
    problems: [
      ...(allowed === calls ? [] : ['the header of an allowed key was not obeyed']),
      ...(operated === all ? [] : ["the header beside the operator's key was not obeyed"]),
      ...(refused === 0 ? [] : ['the header of another key was obeyed']),
    ],
  };
}

/** The canary loses its pods and gets them back, gets all calls, and is aborted, during calls of its accounts. */
async function changesUnderLoad(installation: Installation, accounts: readonly Account[]): Promise<Finding> {
  const { namespace } = installation;
  const inside = (await expectedAt(installation, accounts, 25)).slice(0, UNDER_LOAD);
  const load = await startCanaryLoad(installation, inside);
  await namespace.kubectl(['scale', CANARY, '--replicas=0']);
  await until('the canary has no pods', OBEYED_MS, async () => {
    const pods = await namespace.pods('app.kubernetes.io/component=tools-canary');
    return pods.length === 0;
  });
  await servedFurther(installation, load);
  await namespace.kubectl(['scale', CANARY, '--replicas=1']);
  await namespace.rolledOut(CANARY);
  await until('the canary is reached again', OBEYED_MS, async () => {
    const { canary: reached } = await servedFurther(installation, load);
    return reached > 0;
  });
  await change(installation, 'POST', '/promote');
  const promoted = await servedFurther(installation, load);
  await change(installation, 'POST', '/abort');
  await delay(ABORTED_MS);
  const aborted = await servedFurther(installation, load);
  const outcomes = await load.stop();
  const failed = outcomes.filter(({ status }) => status !== 200);
  return {
    figure: `without pods, with pods again, promoted and aborted under load: ${String(outcomes.length)} calls, ${String(failed.length)} failed; promoted ${String(promoted.canary)} at the canary and ${String(promoted.stable)} at stable, aborted ${String(aborted.canary)} and ${String(aborted.stable)}`,
    problems: [
      ...failed.map(({ status, failure }) => `a call failed: ${failure ?? String(status)}`),
      ...(promoted.stable > 0 ? ['calls reached stable after the promotion'] : []),
      ...(aborted.canary > 0 ? ['calls reached the canary after the abort'] : []),
    ],
  };
}
