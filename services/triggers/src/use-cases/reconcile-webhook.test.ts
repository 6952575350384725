import { ApiError } from '@fairlead/errors/api-error';
import type { ErrorCode } from '@fairlead/errors/catalogue';
import { ManualClock } from '@fairlead/service-kit/clock';
import { Secret } from '@fairlead/service-kit/secret';
import { testContext } from '@fairlead/service-kit/testing/context';
import { expect, test } from 'vitest';
import type { WebhookSecrets, WebhookSettlement } from '../ports/webhook-store.ts';
import { MADE_AT, trigger, webhook } from '../testing/triggers.ts';
import { reconcileWebhook } from './reconcile-webhook.ts';

const NOW = new Date(MADE_AT.getTime() + 3_600_000);
const after = (seconds: number): Date => new Date(NOW.getTime() + seconds * 1_000);

/** Checks a registration, needed by its trigger or not, at a vendor that lists `ids`. */
async function look(o: {
  readonly isWanted?: boolean;
  readonly ids?: readonly string[];
  readonly attemptedAt?: Date;
  readonly failures?: number;
  readonly error?: ErrorCode;
  readonly holdsClaim?: boolean;
  readonly registrationId?: string | null;
  readonly givenUpAt?: Date;
}) {
  const {
    isWanted = true,
    ids = [],
    attemptedAt = MADE_AT,
    failures = 0,
    holdsClaim = true,
    givenUpAt = null,
  } = o;
  const steps: string[] = [];
  let settled: WebhookSettlement | undefined;
  let fresh: WebhookSecrets | undefined;
  const wanting = { ...trigger({ webhookId: isWanted ? 'whk_1' : null }), accountId: 'acc_1' };
  const deps = {
    clock: new ManualClock(NOW),
    publicUrl: 'https://fairlead.test',
    vendorWebhooks: {
      find: () =>
        o.error === undefined
          ? Promise.resolve({ isSuccess: true, value: ids } as const)
          : Promise.reject(new ApiError(o.error, 'No.')),
      register(_ctx: unknown, _of: unknown, address: { readonly url: string; readonly secret: string }) {
        steps.push(`register ${address.url} with ${address.secret}`);
        return Promise.resolve({ isSuccess: true, value: 'reg_2' } as const);
      },
      remove(_ctx: unknown, _of: unknown, id: string) {
        steps.push(`remove ${id}`);
        return Promise.resolve({ isSuccess: true, value: undefined } as const);
      },
    },
    webhooks: {
      secretsOf: () => Promise.resolve({ token: new Secret('t'), secret: new Secret('s') }),
      noteAttempt(_claimed: unknown, _now: Date, secrets?: WebhookSecrets) {
        fresh = secrets;
        return Promise.resolve(holdsClaim);
      },
      settle(_claimed: unknown, settlement: WebhookSettlement) {
        settled = settlement;
        return Promise.resolve();
      },
    },
    firings: {
      findMany: () => Promise.resolve(new Map([[wanting.id, wanting]])),
      noteError(_of: unknown, message: string) {
        steps.push(message);
        return Promise.resolve();
      },
    },
  };
  const { registrationId = 'reg_1' } = o;
  const known = webhook({ attemptedAt, failures, givenUpAt, registrationId });
  const claimed = { webhook: known, token: 'claimed', version: 1 };
  await reconcileWebhook(deps, testContext(), claimed);
  return { steps, settled, fresh };
}

test('one that is wanted and there is left alone for an hour', async () => {
  const { steps, settled } = await look({ ids: ['reg_1'] });
  expect(steps).toEqual([]);
  expect(settled).toEqual({ kind: 'kept', registrationId: 'reg_1', failures: 0, at: after(3_600) });
});

test('one that is wanted and that no vendor has confirmed is registered, but not while an earlier request may take effect', async () => {
  const { steps, settled, fresh } = await look({ registrationId: null });
  expect([steps, fresh]).toEqual([['register https://fairlead.test/hooks/t with s'], undefined]);
  expect(settled).toMatchObject({ registrationId: 'reg_2', at: after(120) });
  const early = await look({ registrationId: null, attemptedAt: NOW });
  expect(early.steps).toEqual([]);
  expect(early.settled).toMatchObject({ registrationId: null, at: after(40) });
  expect(await look({ registrationId: null, holdsClaim: false })).toMatchObject({
    steps: [],
    settled: undefined,
  });
});

test('one that a vendor had and does not list any more gets another address and secret, once the vendor would list it', async () => {
  const { steps, settled, fresh } = await look({});
  const [token = 't', secret = 's'] = [fresh?.token.reveal(), fresh?.secret.reveal()];
  expect([token, secret]).not.toEqual(['t', 's']);
  expect(steps).toEqual([`register https://fairlead.test/hooks/${token} with ${secret}`]);
  expect(settled).toMatchObject({ registrationId: 'reg_2', at: after(120) });
  const early = await look({ attemptedAt: NOW });
  expect(early.steps).toEqual([]);
  expect(early.settled).toMatchObject({ registrationId: 'reg_1', at: after(120) });
});

test('others of its address are removed', async () => {
  const { steps, settled } = await look({ ids: ['reg_0', 'reg_1', 'reg_3'] });
  expect(steps).toEqual(['remove reg_0', 'remove reg_3']);
  expect(settled).toMatchObject({ registrationId: 'reg_1' });
});

test('one that nobody wants is removed, and forgotten once no request can take effect any more', async () => {
  const { steps, settled } = await look({ isWanted: false, ids: ['reg_1'] });
  expect(steps).toEqual(['remove reg_1']);
  expect(settled).toEqual({ kind: 'gone' });
  expect((await look({ isWanted: false, attemptedAt: NOW })).settled).toMatchObject({ at: after(120) });
  const erased = { isWanted: false, attemptedAt: NOW, givenUpAt: after(15) };
  expect((await look(erased)).settled).toEqual({ kind: 'gone' });
});

test('without its connection one that nobody wants is forgotten, and another one waits', async () => {
  expect((await look({ isWanted: false, error: 'NOT_FOUND' })).settled).toEqual({ kind: 'gone' });
  expect((await look({ error: 'NOT_FOUND' })).settled).toMatchObject({ kind: 'kept', failures: 1 });
});

test('what fails is tried again later, noted if the vendor or the licence refuses it, and given up after a month', async () => {
  const away = await look({ error: 'UNAVAILABLE', failures: 2 });
  expect(away.steps).toEqual([]);
  expect(away.settled).toMatchObject({ failures: 3, at: after(8), registrationId: 'reg_1' });
  expect((await look({ error: 'CONNECTION_BLOCKED' })).steps).toEqual(['No.']);
  expect((await look({ error: 'UNAVAILABLE', failures: 700 })).settled).toMatchObject({ at: after(3_600) });
  expect((await look({ isWanted: false, error: 'UNAVAILABLE', failures: 700 })).settled).toEqual({
    kind: 'gone',
  });
});
