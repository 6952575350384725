import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccount, createUser, removeAccount } from './support/accounts.ts';
import type { TestUser } from './support/accounts.ts';
import { expectList, get, post } from './support/api.ts';
import type { Answer } from './support/api.ts';
import type { TestAccount } from './support/own-accounts.ts';
import { openWays } from './support/policy-ways.ts';
import type { PolicyOf, Way } from './support/policy-ways.ts';
import { HOUR_MS, withinOne } from './support/windows.ts';

// Alone: one access path waits until a call of the stack waits for a permit.

const NAMES = [
  'explicit',
  'toolset',
  'endUser',
  'workflow',
  'server',
  'renamed',
  'alias',
  'policyAlias',
  'restrictedKey',
  'waited',
] as const;

let account: TestAccount;
let colleague: TestUser;
let opened: Awaited<ReturnType<typeof openWays>>;
beforeAll(async () => {
  account = await createAccount();
  colleague = await createUser(account, { role: 'developer' });
  opened = await openWays(account);
});
afterAll(async () => {
  await opened.close();
  await removeAccount(account);
});

/** The outcome of a call: `ran`, or the code of its refusal, which may be that of a failed step of a run. */
function endOf({ status, body }: Answer): string {
  if (status !== 200) return String(body?.errorCode);
  return body.isSuccess ? 'ran' : String(/[A-Z]+(?:_[A-Z]+)+/.exec(body.errorMessage)?.[0]);
}

/** The approval that a refused call waits for. */
async function approvalOf({ isStep }: Way, { body }: Answer): Promise<string> {
  if (!isStep) return body.approvalId;
  const [pending] = expectList(await get('/v1/approvals?status=pending&top=1', account)).items;
  return pending.approvalId;
}

const decide = (approvalId: string, decision: string, caller: { readonly apiKey: string }) =>
  post(`/v1/approvals/${approvalId}/${decision}`, undefined, caller);

/**
 * Makes a call that needs an approval and has a colleague approve it; returns the outcomes, and the responses to the caller's own
 * decisions.
 */
async function askAndRun(way: Way, policy: object): Promise<object> {
  const held = await way.hold((slug) => ({ requireApproval: [slug], ...policy }));
  const refused = await held.call();
  const approvalId = await approvalOf(way, refused);
  const unapproved = endOf(await held.call({ approvalId }));
  const before = await held.effects();
  const own: unknown[] = [];
  for (const decision of 'approvedByOther' in policy ? ['approve', 'reject'] : [])
    own.push((await decide(approvalId, decision, account)).body.errorCode);
  const approved = (await decide(approvalId, 'approve', colleague)).status;
  const calls = [endOf(await held.call({ approvalId })), endOf(await held.call({ approvalId }))];
  return { refused: endOf(refused), unapproved, before, own, approved, calls, effects: await held.effects() };
}

/** The expected result of askAndRun: a call runs once after its approval; a workflow's step never runs. */
const approvedOnce = ({ isStep = false }: Way, own: readonly string[]): object => ({
  refused: 'APPROVAL_REQUIRED',
  unapproved: 'APPROVAL_REQUIRED',
  before: 0,
  own,
  approved: 200,
  calls: [isStep ? 'APPROVAL_REQUIRED' : 'ran', 'APPROVAL_REQUIRED'],
  effects: isStep ? 0 : 1,
});

describe.each(NAMES)('A policy holds by every way to a tool (%s):', (name) => {
  const wayOf = (): Way => {
    const way = opened.ways[name];
    if (way === undefined) throw new Error(`no way ${name}`);
    return way;
  };

  test('[completion.toolsets-and-workflows.4] readOnly', async () => {
    const held = await wayOf().hold(() => ({ readOnly: true }));
    expect(endOf(await held.call())).toBe('TOOL_NOT_IN_TOOLSET');
    expect(await held.effects()).toBe(0);
  });

  test('[completion.toolsets-and-workflows.13] fixedFields', async () => {
    const held = await wayOf().hold((slug, fixed) => ({ fixedFields: { [slug]: fixed } }));
    expect(endOf(await held.call())).toBe('ran');
    expect([await held.effects(), await held.fixedEffects()]).toEqual([1, 1]);
  });

  test('[completion.toolsets-and-workflows.5] callsPerHour', async () => {
    await withinOne(HOUR_MS, async () => {
      const held = await wayOf().hold(() => ({ callsPerHour: 1 }));
      expect([endOf(await held.call()), endOf(await held.call())]).toEqual(['ran', 'RATE_LIMIT_EXCEEDED']);
      expect(await held.effects()).toBe(1);
    });
  });

  test('[completion.toolsets-and-workflows.6, completion.toolsets-and-workflows.8] requireApproval', async () => {
    const way = wayOf();
    expect(await askAndRun(way, {})).toEqual(approvedOnce(way, []));
  });

  test('[completion.toolsets-and-workflows.56] approvedByOther', async () => {
    const way = wayOf();
    const own = ['FORBIDDEN', 'FORBIDDEN'];
    expect(await askAndRun(way, { approvedByOther: true })).toEqual(approvedOnce(way, own));
  });
});

describe('A dry run takes no effect and uses nothing up, and shows what the policy makes of the call:', () => {
  const hold = async (policyOf: PolicyOf) => {
    const way = opened.ways['toolset'];
    if (way === undefined) throw new Error('no way');
    return await way.hold(policyOf);
  };
  const dryRun = { dryRun: 'true' };

  test('[completion.toolsets-and-workflows.4] readOnly refuses it', async () => {
    const held = await hold(() => ({ readOnly: true }));
    expect(endOf(await held.call(dryRun))).toBe('TOOL_NOT_IN_TOOLSET');
  });

  test('[completion.toolsets-and-workflows.13] fixedFields are in it', async () => {
    const held = await hold((slug, fixed) => ({ fixedFields: { [slug]: fixed } }));
    const { text } = await held.call(dryRun);
    expect([text.includes('fixed'), text.includes('mine'), await held.effects()]).toEqual([true, false, 0]);
  });

  test('[completion.toolsets-and-workflows.5] callsPerHour does not count it', async () => {
    await withinOne(HOUR_MS, async () => {
      const held = await hold(() => ({ callsPerHour: 1 }));
      const ends = [
        await held.call(dryRun),
        await held.call(dryRun),
        await held.call(),
        await held.call(dryRun),
      ];
      expect(ends.map(endOf)).toEqual(['ran', 'ran', 'ran', 'ran']);
      expect(await held.effects()).toBe(1);
    });
  });

  test.each([{}, { approvedByOther: true }])(
    '[completion.toolsets-and-workflows.6] requireApproval %o does not hold it back, and it uses no approval',
    async (more) => {
      const held = await hold((slug) => ({ requireApproval: [slug], ...more }));
      expect(endOf(await held.call(dryRun))).toBe('ran');
      const { approvalId } = (await held.call()).body;
      expect(await decide(approvalId, 'approve', colleague)).toMatchObject({ status: 200 });
      expect(endOf(await held.call({ ...dryRun, approvalId }))).toBe('ran');
      expect(await held.effects()).toBe(0);
      expect(endOf(await held.call({ approvalId }))).toBe('ran');
      expect(await held.effects()).toBe(1);
    },
  );
});
