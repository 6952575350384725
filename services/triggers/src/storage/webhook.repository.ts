import type { Clock } from '@fairlead/service-kit/clock';
import { guid } from '@fairlead/service-kit/ids';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import type { Secret } from '@fairlead/service-kit/secret';
import type { Sealer } from '@fairlead/sealing/sealing';
import type { Claim } from '@fairlead/service-kit/sweep/claims';
import type { Document, Filter } from 'mongodb';
import { LazyJson } from '@fairlead/service-kit/json/lazy-json';
import type { VendorWebhook } from '../domain/vendor-webhook.ts';
import type { ClaimedWebhook, WebhookSecrets, WebhooksOf, WebhookStore } from '../ports/webhook-store.ts';
import { webhookSecretBinding } from './sealed-collections.ts';
import { hookTokenHash } from './trigger.repository.ts';
import { WEBHOOK_DUE_PATH, webhookCollection } from './webhook.collection.ts';
import type { WebhookDocument } from './webhook.collection.ts';

/** Longer than a call to a vendor takes. */
const CLAIM_MS = 60_000;
const CLAIM = `${WEBHOOK_DUE_PATH}.claim.token`;

/** Registrations in MongoDB; tokens and secrets are sealed. `onDue` is called when some may have become due. */
export function createWebhookRepository(
  store: MongoStore,
  sealer: Pick<Sealer, 'seal' | 'open'>,
  clock: Clock,
  onDue: () => void = () => undefined,
): WebhookStore {
  const webhooks = store.collection(webhookCollection);

  async function sealSecrets(
    { id, accountId }: Pick<VendorWebhook, 'id' | 'accountId'>,
    { token, secret }: WebhookSecrets,
  ): Promise<Pick<WebhookDocument, 'tokenHash' | 'token' | 'secret'>> {
    return {
      tokenHash: hookTokenHash(token.reveal()),
      token: await sealer.seal(accountId, webhookSecretBinding(id, 'token'), token.reveal()),
      secret: await sealer.seal(accountId, webhookSecretBinding(id, 'secret'), secret.reveal()),
    };
  }

  return {
    async insert(ctx, { id, configuration, ...webhook }, secrets) {
      const { accountId } = webhook;
      const now = clock.now();
      const claim = { token: guid(), since: now };
      const document: WebhookDocument = {
        _id: id,
        ...webhook,
        configuration: configuration.text,
        registrationId: null,
        failures: 0,
        givenUpAt: null,
        ...(await sealSecrets({ id, accountId }, secrets)),
        version: 1,
        due: { lane: accountId, at: new Date(now.getTime() + CLAIM_MS), claim },
      };
      await webhooks.insertOne(document, operationOptions(ctx));
      return { webhook: webhookOf(document), token: claim.token, version: 1 };
    },

    async secretsOf({ id, accountId }) {
      const document = await webhooks.findOne({ accountId, _id: id });
      if (document === null) return undefined;
      const [token, secret] = await Promise.all([
        sealer.open(accountId, webhookSecretBinding(id, 'token'), document.token),
        sealer.open(accountId, webhookSecretBinding(id, 'secret'), document.secret),
      ]);
      return { token, secret };
    },

    async findByTokens(tokenHashes) {
      const found = await webhooks.find({ tokenHash: { $in: [...tokenHashes] } }).toArray();
      return new Map(
        found.map((document) => {
          const { _id: id, accountId, tokenHash, secret } = document;
          let opened: Promise<Secret> | undefined;
          const signingSecret = (): Promise<Secret> =>
            (opened ??= sealer.open(accountId, webhookSecretBinding(id, 'secret'), secret));
          return [tokenHash, { ...webhookOf(document), signingSecret }];
        }),
      );
    },

    async schedule(ctx, accountId, of, at) {
      await webhooks.updateMany(
        selected(accountId, of),
        [{ $set: sooner(at, clock.now()) }],
        operationOptions(ctx),
      );
      if (at <= clock.now()) onDue();
    },

    async noteAttempt({ webhook: { accountId, id }, token }, now, fresh) {
      const others = fresh && (await sealSecrets({ id, accountId }, fresh));
      const { matchedCount } = await webhooks.updateOne(
        { accountId, _id: id, [CLAIM]: token },
        { $set: { attemptedAt: now, ...others } },
      );
      return matchedCount === 1;
    },

    async settle({ webhook: { accountId, id }, token, version }, settlement) {
      const mine: Filter<WebhookDocument> = { accountId, _id: id, [CLAIM]: token };
      if (settlement.kind === 'gone') {
        const { deletedCount } = await webhooks.deleteOne({ ...mine, version });
        if (deletedCount === 0)
          await webhooks.updateOne(mine, {
            $set: { due: { lane: accountId, at: clock.now(), claim: null } },
          });
        return;
      }
      const { at, registrationId, failures } = settlement;
      // If another check was requested meanwhile, it is due at once.
      const next = { $cond: [{ $eq: ['$version', version] }, at, clock.now()] };
      await webhooks.updateOne(mine, [
        { $set: { registrationId, failures, due: { lane: accountId, at: next, claim: null } } },
      ]);
    },
  };
}

/** Increments the version; the document is due at that time or earlier. A claimed one is checked again afterwards. */
export function sooner(at: Date, now: Date): Document {
  const isClaimed = { $and: [{ $ne: ['$due.claim', null] }, { $gt: ['$due.at', now] }] };
  const due = { lane: '$due.lane', at: { $min: ['$due.at', at] }, claim: null };
  return { version: { $add: ['$version', 1] }, due: { $cond: [isClaimed, '$due', due] } };
}

/** Decodes the registration of a claimed document. */
export function claimedWebhook({ document, token }: Claim<WebhookDocument>): ClaimedWebhook {
  return { webhook: webhookOf(document), token, version: document.version };
}

function webhookOf(document: WebhookDocument): VendorWebhook {
  const { _id: id, accountId, triggerId, triggerTypeSlug, connectionId } = document;
  const { registrationId, attemptedAt, failures, givenUpAt } = document;
  return {
    id,
    accountId,
    triggerId,
    triggerTypeSlug,
    connectionId,
    // The text was written from an object, so it parses to one.
    configuration: new LazyJson(Buffer.from(document.configuration)),
    registrationId,
    attemptedAt,
    failures,
    givenUpAt,
  };
}

function selected(accountId: string, of: WebhooksOf): Filter<WebhookDocument> {
  return 'triggerId' in of
    ? { accountId, triggerId: of.triggerId }
    : { accountId, connectionId: { $in: [...of.connectionIds] } };
}
