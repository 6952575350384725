import type { JsonObject } from '@fairlead/connector-model/json';
import type { Filter } from 'mongodb';
import type { RequestContext } from '@fairlead/service-kit/context/context';
import type { MongoStore } from '@fairlead/service-kit/mongo/mongo';
import { operationOptions } from '@fairlead/service-kit/mongo/mongo';
import type { FieldOptions } from '../domain/connection.ts';
import type { FieldValues } from '../domain/credential.ts';
import type { RedeemableSignIn, SignIn, SignInHead } from '../domain/sign-in.ts';
import type { SignInStore } from '../ports/sign-in-store.ts';
import { recordOpening } from './credential-openings.ts';
import type { Opening } from './credential-openings.ts';
import { recordOf } from './credential-vault.ts';
import type { CredentialVault } from './credential-vault.ts';
import { connectSessionCollection } from './connect-session.collection.ts';
import { revocationCollection, revocationOfSignIn } from './revocation.collection.ts';
import type { SignInDocument } from './sign-in.collection.ts';
import { signInCollection } from './sign-in.collection.ts';

const HELD_GRANTS = 'held_grants';

/** The sign-ins in MongoDB; `vault` seals verifiers and tokens. */
export function createSignInRepository(store: MongoStore, vault: CredentialVault): SignInStore {
  const signIns = store.collection(signInCollection);
  const revocations = store.collection(revocationCollection);
  const sessions = store.collection(connectSessionCollection);

  async function openGiven(document: SignInDocument): Promise<FieldValues> {
    const { plain, secret } = document.given;
    return {
      // `insert` wrote this text, with exactly this type.
      plain: JSON.parse(plain) as JsonObject,
      secret: await vault.openFields(recordOf('sign_ins', document.accountId, document._id), secret),
    };
  }

  async function toSignIn(ctx: RequestContext, document: SignInDocument): Promise<SignIn> {
    const head = toHead(document);
    const { status, outcome, reason } = document;
    if (status === 'failed') return { ...head, status, reason: reason ?? '' };
    if (status !== 'completed' || outcome === null) return { ...head, status: 'pending' };
    const [tokens, given] = await recordOpening(ctx, openingOf(head), async () => [
      await vault.openTokens(recordOf('sign_ins', head.accountId, head.state), outcome.tokens),
      await openGiven(document),
    ]);
    return {
      ...head,
      status,
      given,
      outcome: {
        ...outcome,
        tokens,
        // `complete` wrote this text, with exactly this type.
        fieldOptions: JSON.parse(outcome.fieldOptions) as FieldOptions,
      },
    };
  }

  return {
    async insert(ctx, signIn) {
      const { state, codeVerifier, given, ...head } = signIn;
      const record = recordOf('sign_ins', signIn.accountId, state);
      const document: SignInDocument = {
        _id: state,
        ...head,
        given: {
          plain: JSON.stringify(given.plain),
          secret: await vault.sealFields(record, given.secret.reveal()),
        },
        codeVerifier: await vault.sealText(record, 'verifier', codeVerifier),
        bindingHash: null,
        status: 'pending',
        outcome: null,
        reason: null,
      };
      await signIns.insertOne(document, operationOptions(ctx));
    },

    async find(ctx, { accountId, userId, connectSessionId }, state, now) {
      const mine = { accountId, _id: state, userId, connectSessionId, expiresAt: { $gt: now } };
      const document = await signIns.findOne(mine, operationOptions(ctx));
      return document === null ? undefined : await toSignIn(ctx, document);
    },

    async findPending(ctx, state, now) {
      const document = await signIns.findOne(pendingAlone(state, now), operationOptions(ctx));
      return document === null ? undefined : toHead(document);
    },

    async cancel(ctx, state, reason, now) {
      const { matchedCount } = await signIns.updateOne(
        pendingAlone(state, now),
        { $set: { status: 'failed', reason } },
        operationOptions(ctx),
      );
      return matchedCount > 0;
    },

    async bind(ctx, { state, connectSessionId }, bindingHash, now) {
      const document = await signIns.findOneAndUpdate(
        { ...pending(state, now), connectSessionId },
        { $set: { bindingHash } },
        operationOptions(ctx),
      );
      if (document === null) return undefined;
      const head = toHead(document);
      const open = (): Promise<FieldValues> => openGiven(document);
      const hasSecret = document.given.secret !== null;
      return { ...head, given: hasSecret ? await recordOpening(ctx, openingOf(head), open) : await open() };
    },

    async claim(ctx, state, bindingHash, now) {
      const document = await signIns.findOneAndUpdate(
        { ...pending(state, now), bindingHash },
        { $set: { status: 'redeeming' } },
        operationOptions(ctx),
      );
      if (document === null) return undefined;
      const head = toHead(document);
      return await recordOpening(ctx, openingOf(head), async () => ({
        ...head,
        codeVerifier: await vault.openText(
          recordOf('sign_ins', head.accountId, state),
          'verifier',
          document.codeVerifier,
        ),
        given: await openGiven(document),
      }));
    },

    async holdGrant(ctx, signIn, tokens) {
      const { accountId, connectSessionId, given } = signIn;
      // Negative, so that its sealed values cannot be opened for any connection.
      const _id = -(await store.nextSequence(HELD_GRANTS));
      const record = recordOf('connections', accountId, _id);
      const session =
        connectSessionId === null
          ? null
          : await sessions.findOne({ accountId, _id: connectSessionId }, operationOptions(ctx));
      await revocations.insertOne(
        revocationOfSignIn(signIn, {
          _id,
          endUserId: session?.endUserId ?? null,
          fields: JSON.stringify(given.plain),
          secrets: await vault.sealFields(record, given.secret.reveal()),
          tokens: await vault.sealTokens(record, tokens),
          now: tokens.obtainedAt,
          expiresAt: signIn.expiresAt,
        }),
        operationOptions(ctx),
      );
    },

    async complete(ctx, signIn, outcome) {
      const stored = {
        ...outcome,
        tokens: await vault.sealTokens(recordOf('sign_ins', signIn.accountId, signIn.state), outcome.tokens),
        fieldOptions: JSON.stringify(outcome.fieldOptions),
      };
      await signIns.updateOne(
        redeeming(signIn),
        { $set: { status: 'completed', outcome: stored } },
        operationOptions(ctx),
      );
    },

    async fail(ctx, signIn, reason) {
      await signIns.updateOne(
        redeeming(signIn),
        { $set: { status: 'failed', reason } },
        operationOptions(ctx),
      );
    },
  };
}

/** Callbacks have no account: the state authorizes them. */
function pending(state: string, now: Date): Filter<SignInDocument> {
  return { _id: state, status: 'pending', expiresAt: { $gt: now } };
}

/** Selects a pending sign-in outside of connect sessions. */
function pendingAlone(state: string, now: Date): Filter<SignInDocument> {
  return { ...pending(state, now), connectSessionId: null };
}

function redeeming({ accountId, state }: RedeemableSignIn): Filter<SignInDocument> {
  return { accountId, _id: state, status: 'redeeming' };
}

function toHead({
  _id: state,
  given: _given,
  codeVerifier: _sealed,
  bindingHash: _internal,
  status: _status,
  outcome: _outcome,
  reason: _reason,
  scopes = [],
  ...same
}: SignInDocument): SignInHead {
  return { ...same, state, scopes };
}

function openingOf({ accountId }: SignInHead): Opening {
  return { purpose: 'signIn', accountId };
}
