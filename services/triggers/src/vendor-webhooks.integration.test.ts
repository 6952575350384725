import { randomBytes } from 'node:crypto';
import { startTestCrm } from '@fairlead/sandbox-crm/testing/sandbox';
import type { TestCrm } from '@fairlead/sandbox-crm/testing/sandbox';
import { ManualClock } from '@fairlead/service-kit/clock';
import { prefixedId } from '@fairlead/service-kit/ids';
import { parseKeyRing } from '@fairlead/service-kit/key-ring';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { mongoDataKeyStore } from '@fairlead/sealing/data-keys';
import { ringKeyEncryption } from '@fairlead/sealing/ring-key-encryption';
import { createSealer } from '@fairlead/sealing/sealing';
import { createClaims } from '@fairlead/service-kit/sweep/claims';
import { testContext } from '@fairlead/service-kit/testing/context';
import { testStore } from '@fairlead/service-kit/testing/mongo';
import { afterAll, beforeAll, beforeEach, expect, inject, test } from 'vitest';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { CallResult, VendorWebhooks } from './ports/trigger-calls.ts';
import { createEndedWebhooks } from './storage/ended-webhooks.ts';
import { createFiringRepository } from './storage/firing.repository.ts';
import { schema } from './storage/schema.ts';
import { triggerCollection } from './storage/trigger.collection.ts';
import { createTriggerRepository, hookTokenHash } from './storage/trigger.repository.ts';
import { WEBHOOK_DUE_PATH, webhookCollection } from './storage/webhook.collection.ts';
import { claimedWebhook, createWebhookRepository } from './storage/webhook.repository.ts';
import { MADE_AT, trigger, unrecorded } from './testing/triggers.ts';
import { deleteTrigger } from './use-cases/delete-trigger.ts';
import { reconcileWebhook } from './use-cases/reconcile-webhook.ts';
import { registerWebhook } from './use-cases/register-webhook.ts';

const publicUrl = 'https://fairlead.test';
let store: MongoStore & { drop(): Promise<void> };
let sealer: ReturnType<typeof createSealer>;
let crm: TestCrm;
beforeAll(async () => {
  store = await testStore(inject('mongodbUri'), schema.collections);
  const encryption = ringKeyEncryption(parseKeyRing(`v1:${randomBytes(32).toString('base64')}`));
  sealer = createSealer({ encryption, store: mongoDataKeyStore(store) });
  crm = await startTestCrm();
});
afterAll(async () => {
  await crm.close();
  await store.drop();
});
beforeEach(() => crm.admin('/remove-webhooks', {}));

interface VendorRegistration {
  readonly id: string;
  readonly url: string;
}
/** The vendor's own list of registrations. */
async function listRegistrations(): Promise<readonly VendorRegistration[]> {
  const { body } = await crm.api('GET', '/webhooks?top=100');
  return (body as { readonly items: readonly VendorRegistration[] }).items;
}

/** The simulated process ends here; nothing later is done. */
class ProcessDeath extends Error {}
type Step = 'before register' | 'after register' | 'before remove' | 'after remove';

/** An account with a vendor. Its processes can be killed before or after each call, and the vendor can be unavailable. */
function setUp() {
  const clock = new ManualClock(MADE_AT);
  const accountId = prefixedId('acc');
  const ctx = testContext({ accountId });
  const state: { killAt?: Step | undefined; isAway: boolean; noted: (string | null)[] } = {
    isAway: false,
    noted: [],
  };
  async function callVendor<T>(name: 'register' | 'find' | 'remove', send: () => Promise<T>) {
    const away: CallResult<T> = { isSuccess: false, errorMessage: 'The CRM is away.' };
    const killIf = (step: string): void => {
      if (state.killAt !== step) return;
      state.killAt = undefined;
      throw new ProcessDeath();
    };
    killIf(`before ${name}`);
    if (state.isAway) return away;
    const value = await send();
    killIf(`after ${name}`);
    return { isSuccess: true, value } as const;
  }
  const vendorWebhooks: VendorWebhooks = {
    register: (_ctx, _of, address) =>
      callVendor('register', async () => {
        const { body } = await crm.api('POST', '/webhooks', { body: { event: 'deal.updated', ...address } });
        return (body as VendorRegistration).id;
      }),
    find: (_ctx, _of, url) =>
      callVendor('find', async () =>
        (await listRegistrations()).filter((each) => each.url === url).map(({ id }) => id),
      ),
    remove: (_ctx, _of, id) =>
      callVendor('remove', async () => {
        await crm.api('DELETE', `/webhooks/${id}`);
        return undefined;
      }),
  };
  const webhooks = createWebhookRepository(store, sealer, clock);
  const triggers = createTriggerRepository(store, sealer, unrecorded);
  const deps = {
    clock,
    publicUrl,
    vendorWebhooks,
    webhooks,
    triggers,
    firings: {
      ...createFiringRepository(store, clock),
      noteError(_of: unknown, message: string | null) {
        state.noted.push(message);
        return Promise.resolve();
      },
    },
  };
  const of = {
    id: prefixedId('trg'),
    triggerTypeSlug: 'crm-deal-updated',
    connectionId: 7,
    configuration: LazyJson.of({}),
  };

  /** Creates the trigger, as far as it gets before the process is killed. */
  async function create(): Promise<void> {
    const webhookId = await registerWebhook(deps, ctx, of);
    const content = trigger(of);
    const { generation: _g, lastFiredAt: _f, lastError: _e, gaps: _gaps, updatedAt: _u, ...added } = content;
    await triggers.insert(ctx, accountId, { ...added, webhookId, dueAt: null, poll: null });
  }
  const claims = createClaims(store, webhookCollection, WEBHOOK_DUE_PATH);
  /** Runs one check of a keeper, which may be killed. */
  async function look(): Promise<void> {
    const now = clock.now();
    const until = new Date(now.getTime() + 60_000);
    for (const claimed of await claims.claim(accountId, { now, until, limit: 10 }))
      await reconcileWebhook(deps, ctx, claimedWebhook(claimed)).catch((error: unknown) => {
        if (!(error instanceof ProcessDeath)) throw error;
      });
  }
  /** Runs the keepers' checks of a day. */
  async function keep(looks = 12): Promise<void> {
    for (let at = 0; at < looks; at += 1) {
      clock.advance(2 * 60 * 60_000);
      await look();
    }
  }
  const intents = () => store.collection(webhookCollection).countDocuments({ accountId });
  return { ...deps, ctx, accountId, of, state, create, look, keep, intents };
}

test('a registration is made once, with a secret that is stored sealed, and stays', async () => {
  const { create, keep, intents, accountId } = setUp();
  await create();
  const before = await listRegistrations();
  expect(before).toHaveLength(1);
  expect(before[0]?.url).toMatch(/^https:\/\/fairlead\.test\/hooks\/[0-9A-Za-z]{32}$/);
  await keep();
  expect(await listRegistrations()).toEqual(before);
  expect(await intents()).toBe(1);
  const document = await store.collection(webhookCollection).findOne({ accountId });
  expect(JSON.stringify(document)).not.toContain(before[0]?.url.split('/').at(-1));
});

test('a call to a registered address is checked with the secret of its registration, which is opened once', async () => {
  const { create, webhooks, accountId } = setUp();
  await create();
  const document = await store.collection(webhookCollection).findOne({ accountId });
  const tokenHash = document?.tokenHash ?? '';
  const found = (await webhooks.findByTokens([tokenHash, 'nobody'])).get(tokenHash);
  expect(found).toMatchObject({ accountId, id: document?._id });
  const [one, other] = await Promise.all([found?.signingSecret(), found?.signingSecret()]);
  expect(one).toBe(other);
  const told = await webhooks.secretsOf({ accountId, id: document?._id ?? '' });
  expect(one?.reveal()).toBe(told?.secret.reveal());
});

test.each(['before register', 'after register'] as const)(
  'a process that is killed %s, before the trigger is stored, leaves nothing at the vendor',
  async (killAt) => {
    const { create, keep, intents, state } = setUp();
    state.killAt = killAt;
    await expect(create()).rejects.toThrow(ProcessDeath);
    expect(await intents()).toBe(1);
    await keep();
    expect([await listRegistrations(), await intents()]).toEqual([[], 0]);
  },
);

test.each(['before register', 'after register'] as const)(
  'a vendor that has lost a registration, and may be another one, gets one with another address and secret, also by a keeper that is killed %s',
  async (killAt) => {
    const { create, keep, state, clock, webhooks } = setUp();
    const secretOf = async (url = '') => {
      const hash = hookTokenHash(url.split('/').at(-1) ?? '');
      return (await (await webhooks.findByTokens([hash])).get(hash)?.signingSecret())?.reveal();
    };
    await create();
    const [lost] = await listRegistrations();
    const known = await secretOf(lost?.url);
    expect(known).toEqual(expect.any(String));
    await crm.admin('/remove-webhooks', {});
    state.killAt = killAt;
    await keep();
    const [registered, ...others] = await listRegistrations();
    expect(others).toEqual([]);
    expect(registered?.url).not.toBe(lost?.url);
    expect(await secretOf(lost?.url)).toBeUndefined();
    expect(await secretOf(registered?.url)).not.toBe(known);
    expect(clock.now() > MADE_AT).toBe(true);
  },
);

test('of two registrations of an address, one is left', async () => {
  const { create, keep } = setUp();
  await create();
  const [one] = await listRegistrations();
  const body = { event: 'deal.updated', url: one?.url, secret: 'another secret of it' };
  await crm.api('POST', '/webhooks', { body });
  await keep();
  expect(await listRegistrations()).toEqual([one]);
});

test.each(['before remove', 'after remove', 'away'] as const)(
  'a deleted trigger leaves nothing at the vendor: %s',
  async (fault) => {
    const { create, keep, intents, of, state, ...deps } = setUp();
    await create();
    if (fault === 'away') state.isAway = true;
    else state.killAt = fault;
    await deleteTrigger(deps, deps.ctx, of.id);
    await keep(5);
    const left = fault === 'away' ? 1 : 0;
    expect([(await listRegistrations()).length, await intents()]).toEqual([left, left]);
    state.isAway = false;
    await keep();
    expect([await listRegistrations(), await intents()]).toEqual([[], 0]);
    expect(state.noted).toEqual([]);
  },
);

test('a trigger that is deleted while its address is looked at leaves nothing', async () => {
  const { create, keep, intents, of, accountId, webhooks, clock, ...deps } = setUp();
  await create();
  clock.advance(2 * 60 * 60_000);
  const now = clock.now();
  const claims = createClaims(store, webhookCollection, WEBHOOK_DUE_PATH);
  const until = new Date(now.getTime() + 60_000);
  const [claimed] = await claims.claim(accountId, { now, until, limit: 1 });
  if (claimed === undefined) throw new Error('nothing is due');
  await deleteTrigger({ ...deps, webhooks, clock }, deps.ctx, of.id);
  // The check ends normally; a check requested meanwhile is not lost.
  const seen = { kind: 'kept', at: new Date(now.getTime() + 86_400_000), failures: 0 } as const;
  await webhooks.settle(claimedWebhook(claimed), { ...seen, registrationId: 'whk_1' });
  await keep(3);
  expect([await listRegistrations(), await intents()]).toEqual([[], 0]);
});

test.each(['there', 'away'] as const)(
  'an account that is erased right after its trigger was created leaves nothing here, whether its vendor is %s',
  async (vendor) => {
    const { create, look, intents, state, clock, ctx, accountId, of, triggers } = setUp();
    await create();
    await triggers.delete(ctx, accountId, of.id);
    state.isAway = vendor === 'away';
    const onDue = (): void =>
      void look().finally(() => {
        if (state.isAway) clock.advance(20_000);
      });
    const erased = createEndedWebhooks({ store, clock, onDue });
    // Repeated as its caller does: on a busy machine the vendor may take longer than one call waits.
    await expect.poll(() => erased.end(ctx, accountId)).toBe(true);
    expect(await intents()).toBe(0);
    expect(await listRegistrations()).toHaveLength(vendor === 'away' ? 1 : 0);
  },
);

test.each(['there', 'away'] as const)(
  'a connection that is deleted waits until its registrations are removed, if its vendor is %s, and no longer than that',
  async (vendor) => {
    const { create, look, intents, state, clock, ctx, accountId, of, triggers } = setUp();
    await create();
    await triggers.disableUses(ctx, accountId, [of.connectionId], 'It is deleted.', clock.now());
    state.isAway = vendor === 'away';
    let looks = 0;
    const onDue = (): void =>
      void look().finally(() => {
        looks += 1;
        if (state.isAway) clock.advance(20_000);
      });
    const ended = createEndedWebhooks({ store, clock, onDue });
    await ended.endOf(ctx, accountId, [of.connectionId + 1]);
    expect([(await listRegistrations()).length, looks]).toEqual([1, 0]);
    await ended.endOf(ctx, accountId, [of.connectionId]);
    const left = vendor === 'away' ? 1 : 0;
    expect([(await listRegistrations()).length, await intents()]).toEqual([left, left]);
    // A repeated call does not wait again.
    await ended.endOf(ctx, accountId, [of.connectionId]);
    expect(looks).toBe(1);
  },
);

test('another connection has another registration; why the vendor refuses is noted while it is wanted', async () => {
  const { create, keep, of, state, accountId, ...deps } = setUp();
  await create();
  const [former] = await listRegistrations();
  const webhookId = await registerWebhook(deps, deps.ctx, { ...of, connectionId: 8 });
  const change = { connectionId: 8, webhookId };
  await deps.triggers.update(deps.ctx, accountId, { id: of.id, generation: 1 }, change, deps.clock.now());
  await keep();
  const now = await listRegistrations();
  expect(now).toHaveLength(1);
  expect(now[0]?.url).not.toBe(former?.url);
  state.isAway = true;
  await keep(2);
  expect(state.noted).toEqual(['The CRM is away.', 'The CRM is away.']);
  state.isAway = false;
  await keep(2);
  expect(state.noted.slice(2)).toEqual([null]);
});

test('registrations are found by tokens, triggers and connections without reading others', async () => {
  for (let at = 0; at < 5; at += 1) await setUp().create();
  const { accountId } = setUp();
  const plans = [
    { tokenHash: { $in: ['h'] } },
    { accountId, triggerId: 'trg_1' },
    { accountId, connectionId: { $in: [7] } },
  ].map((filter) => store.collection(webhookCollection).find(filter).explain('queryPlanner'));
  for (const plan of await Promise.all(plans)) expect(JSON.stringify(plan)).not.toContain('COLLSCAN');
  expect(await store.collection(triggerCollection).countDocuments({ accountId })).toBe(0);
});
