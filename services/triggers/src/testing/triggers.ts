import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { PollCursor } from '../domain/poll.ts';
import type { Trigger, TriggerType } from '../domain/trigger.ts';
import type { TriggerTarget, CallResult } from '../ports/trigger-calls.ts';
import type { VendorWebhook } from '../domain/vendor-webhook.ts';
import type { ClaimedWebhook, RegisteredWebhook, WebhookSettlement } from '../ports/webhook-store.ts';
import type { NewTrigger, TriggerChange } from '../ports/trigger-store.ts';

/** Creation time of all test triggers. */
export const MADE_AT = new Date('2026-01-02T03:04:05.006Z');

/** Records nothing. */
export const unrecorded = (): Promise<void> => Promise.resolve();

/** A type of the sandbox CRM that needs a connection. */
export function triggerType(members: Partial<TriggerType> = {}): TriggerType {
  return {
    slug: 'sandbox-crm-thing-happened',
    name: 'Thing happened',
    description: 'Fires.',
    kind: 'system',
    requiresConnection: true,
    configSchema: { type: 'object', properties: {} },
    payloadSchema: { type: 'object', properties: {} },
    poll: null,
    webhook: null,
    applicationSlug: 'sandbox-crm',
    applicationName: 'Sandbox CRM',
    ...members,
  };
}

/** The type `schedule`, abbreviated. */
export const SCHEDULE_TYPE = triggerType({
  slug: 'schedule',
  kind: 'schedule',
  requiresConnection: false,
  configSchema: {
    type: 'object',
    properties: {
      cron: { type: 'string' },
      timezone: { type: 'string' },
      everySeconds: { type: 'integer', minimum: 10 },
    },
  },
  applicationSlug: 'schedule',
  applicationName: 'Schedule',
});

/** The type `http_webhook`. */
export const HOOK_TYPE = triggerType({
  slug: 'http_webhook',
  kind: 'webhook',
  requiresConnection: false,
  applicationSlug: 'http-webhook',
  applicationName: 'HTTP webhook',
});

const REQUEST = { method: 'GET', url: '/webhooks', query: {}, headers: {}, body: null } as const;

/** A type with vendor webhooks. */
export const VENDOR_TYPE = triggerType({
  slug: 'sandbox-crm-thing-changed',
  kind: 'webhook',
  webhook: {
    register: { request: { ...REQUEST, method: 'POST' }, idPointer: '/id' },
    list: {
      request: REQUEST,
      paging: null,
      itemsPointer: '/items',
      idPointer: '/id',
      urlPointer: '/url',
    },
    remove: { request: { ...REQUEST, method: 'DELETE' } },
    signature: { header: 'x-signature', prefix: 'sha256=', encoding: 'hex', timestampHeader: null },
    deliveryIdPointer: '/id',
    occurredAtPointer: '/at',
    payloadPointer: '/data',
  },
});

export const POLL_TYPE = triggerType({
  slug: 'sandbox-crm-thing-created',
  kind: 'poll',
  configSchema: {
    type: 'object',
    properties: {
      everySeconds: { type: 'integer', minimum: 10, default: 60 },
      colour: { type: 'string' },
    },
  },
});

/** Initial cursor of test polls. */
export const SEEDED: PollCursor = { since: '2026-01-02T03:03:05.006Z', known: ['a@1'] };

/** An enabled trigger. */
export function trigger(members: Partial<Trigger> = {}): Trigger {
  return {
    id: 'trg_1',
    name: 'Things',
    triggerTypeSlug: 'sandbox-crm-thing-happened',
    applicationSlug: 'sandbox-crm',
    connectionId: 7,
    configuration: LazyJson.of({}),
    filter: null,
    destinationIds: ['dst_1'],
    isEnabled: true,
    generation: 1,
    enabledAt: MADE_AT,
    webhookId: null,
    hookToken: null,
    lastFiredAt: null,
    lastError: null,
    gaps: [],
    createdAt: MADE_AT,
    updatedAt: MADE_AT,
    ...members,
  };
}

/** Dependencies of createTrigger and updateTrigger in memory: two connections, one destination, one type. */
export function neighbours(type: TriggerType, connections = [{ id: 7, applicationSlug: 'sandbox-crm' }]) {
  const created: string[] = [];
  return {
    created,
    clock: new ManualClock(MADE_AT),
    publicUrl: 'https://fairlead.test',
    webhooks: memoryWebhooks(),
    vendorWebhooks: {
      register: (_ctx: unknown, of: TriggerTarget): Promise<CallResult<string>> =>
        Promise.resolve(
          of.configuration.parseObject()['colour'] === 'refused'
            ? { isSuccess: false, errorMessage: 'Not for you.' }
            : { isSuccess: true, value: 'reg_1' },
        ),
    },
    types: { resolve: () => Promise.resolve(type) },
    connections: {
      find: (_ctx: unknown, id: number) => Promise.resolve(connections.find((each) => each.id === id)),
      findOwn: (_ctx: unknown, applicationSlug: string) =>
        Promise.resolve(connections.find((each) => each.applicationSlug === applicationSlug)?.id),
      create(_ctx: unknown, applicationSlug: string, name: string) {
        created.push(`${applicationSlug} ${name}`);
        return Promise.resolve(99);
      },
    },
    destinations: {
      findExisting: (_ctx: unknown, ids: readonly string[]) =>
        Promise.resolve(ids.filter((id) => id === 'dst_1' || id === 'dst_2')),
    },
    calls: {
      seedPoll: (_ctx: unknown, of: TriggerTarget): Promise<CallResult<PollCursor>> =>
        Promise.resolve(
          of.configuration.parseObject()['colour'] === 'refused'
            ? { isSuccess: false, errorMessage: 'Not for you.' }
            : { isSuccess: true, value: SEEDED },
        ),
    },
    filters: {
      syntaxIssue: (text: string) => Promise.resolve(text.includes('((') ? 'no end' : undefined),
    },
  };
}

/** A registration of the trigger that `trigger` creates. */
export function webhook(members: Partial<VendorWebhook> = {}): VendorWebhook {
  return {
    id: 'whk_1',
    accountId: 'acc_1',
    triggerId: 'trg_1',
    triggerTypeSlug: VENDOR_TYPE.slug,
    connectionId: 7,
    configuration: LazyJson.of({}),
    registrationId: 'reg_1',
    attemptedAt: MADE_AT,
    failures: 0,
    givenUpAt: null,
    ...members,
  };
}

/** The same registration, for a call to its address; `secret` signs calls. */
export function registered(members: Partial<VendorWebhook> = {}, secret = 'a secret'): RegisteredWebhook {
  return { ...webhook(members), signingSecret: () => Promise.resolve(new Secret(secret)) };
}

/** A store of registrations that records its calls in order. */
export function memoryWebhooks() {
  const steps: string[] = [];
  return {
    steps,
    insert(
      _ctx: unknown,
      webhook: Omit<VendorWebhook, 'registrationId' | 'failures' | 'givenUpAt'>,
    ): Promise<ClaimedWebhook> {
      steps.push(`insert for ${webhook.triggerId} of ${webhook.connectionId}`);
      const stored = { ...webhook, registrationId: null, failures: 0, givenUpAt: null };
      return Promise.resolve({ webhook: stored, token: 'claimed', version: 1 });
    },
    settle(_claimed: unknown, settlement: WebhookSettlement) {
      steps.push(settlement.kind === 'gone' ? 'gone' : `registered as ${settlement.registrationId}`);
      return Promise.resolve();
    },
    schedule(_ctx: unknown, _accountId: string, of: object) {
      steps.push(`look at ${JSON.stringify(of)}`);
      return Promise.resolve();
    },
  };
}

/** A store with one trigger that records writes. */
export function memoryTriggers(stored?: Trigger) {
  let current = stored;
  const inserted: NewTrigger[] = [];
  const changes: TriggerChange[] = [];
  return {
    inserted,
    changes,
    count: () => Promise.resolve(inserted.length),
    insert(_ctx: unknown, _accountId: string, added: NewTrigger) {
      inserted.push(added);
      return Promise.resolve({ ...trigger(), ...added, hookToken: added.hookToken && new Secret('token') });
    },
    find: (_ctx: unknown, _accountId: string, id: string) =>
      Promise.resolve(current?.id === id ? current : undefined),
    update(_ctx: unknown, _accountId: string, at: { readonly generation: number }, change: TriggerChange) {
      if (current === undefined || current.generation !== at.generation) return Promise.resolve(undefined);
      changes.push(change);
      const { dueAt: _due, poll: _poll, ...members } = change;
      current = { ...current, ...members, generation: current.generation + 1 };
      return Promise.resolve(current);
    },
    removeDestinations: unrecorded,
    disableUses: unrecorded,
  };
}
